#include "core/meter/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/check.h"
#include "core/base/random.h"

namespace stint {
namespace {

// More resamples than 2000 move the ends by less than their own spread.
constexpr int kResamples = 2000;

}  // namespace

double Quantile(std::span<const double> values, double q) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const double position = q * static_cast<double>(sorted.size() - 1);
  const size_t below = static_cast<size_t>(position);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  const double share = position - static_cast<double>(below);
  return sorted[below] + share * (sorted[above] - sorted[below]);
}

double Median(std::span<const double> values) { return Quantile(values, 0.5); }

double Mean(std::span<const double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  double sum = 0;
  for (double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double MedianAbsoluteDeviation(std::span<const double> values) {
  const double median = Median(values);
  std::vector<double> distances;
  for (double value : values) distances.push_back(std::abs(value - median));
  return Median(distances);
}

std::vector<bool> FlagOutliers(std::span<const double> values, double limit) {
  const double median = Median(values);
  const double deviation = MedianAbsoluteDeviation(values);
  std::vector<bool> flags;
  for (double value : values) {
    flags.push_back(deviation > 0 &&
                    std::abs(value - median) > limit * deviation);
  }
  return flags;
}

Estimate PairedRatio(std::span<const double> a, std::span<const double> b,
                     uint64_t seed) {
  STINT_CHECK(a.size() == b.size());
  std::vector<double> logs;
  for (size_t i = 0; i < a.size(); ++i) logs.push_back(std::log(a[i] / b[i]));
  if (logs.empty()) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    return {nan, nan, nan};
  }
  Random random(seed);
  const auto count = static_cast<int64_t>(logs.size());
  std::vector<double> medians;
  std::vector<double> resample(logs.size());
  for (int i = 0; i < kResamples; ++i) {
    for (double& value : resample) {
      value = logs[static_cast<size_t>(random.NextInt(count))];
    }
    medians.push_back(Median(resample));
  }
  return {std::exp(Median(logs)), std::exp(Quantile(medians, 0.025)),
          std::exp(Quantile(medians, 0.975))};
}

}  // namespace stint
