#include "core/meter/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

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
  const Estimate median = MedianEstimate(logs, seed);
  return {std::exp(median.value), std::exp(median.low), std::exp(median.high)};
}

Estimate MedianEstimate(std::span<const double> values, uint64_t seed) {
  if (values.empty()) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    return {nan, nan, nan};
  }
  Random random(seed);
  const auto count = static_cast<int64_t>(values.size());
  std::vector<double> medians;
  std::vector<double> resample(values.size());
  for (int i = 0; i < kResamples; ++i) {
    for (double& value : resample) {
      value = values[static_cast<size_t>(random.NextInt(count))];
    }
    medians.push_back(Median(resample));
  }
  return {Median(values), Quantile(medians, 0.025), Quantile(medians, 0.975)};
}

LineFit FitLine(std::span<const double> x, std::span<const double> y) {
  STINT_CHECK(x.size() == y.size());
  const double mean_x = Mean(x);
  const double mean_y = Mean(y);
  double xx = 0, xy = 0, yy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
  }
  const double slope = xy / xx;
  return {mean_y - slope * mean_x, slope, xy * xy / (xx * yy)};
}

double McNemarP(int64_t only_first, int64_t only_second) {
  const auto rows = static_cast<double>(only_first + only_second);
  const int64_t fewer = std::min(only_first, only_second);
  // Each such row is a fair coin: twice the tail of the binomial distribution.
  double tail = 0;
  for (int64_t k = 0; k <= fewer; ++k) {
    const auto heads = static_cast<double>(k);
    tail += std::exp(std::lgamma(rows + 1) - std::lgamma(heads + 1) -
                     std::lgamma(rows - heads + 1) - rows * std::log(2.0));
  }
  return std::min(1.0, 2 * tail);
}

std::vector<double> HolmAdjusted(std::span<const double> p_values) {
  std::vector<size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return p_values[a] < p_values[b];
  });
  std::vector<double> adjusted(p_values.size());
  double largest = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    const auto left = static_cast<double>(order.size() - i);
    largest = std::max(largest, std::min(1.0, left * p_values[order[i]]));
    adjusted[order[i]] = largest;
  }
  return adjusted;
}

}  // namespace stint
