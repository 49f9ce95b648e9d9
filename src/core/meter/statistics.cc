#include "core/meter/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>

#include "core/base/check.h"

namespace stint {
namespace {

constexpr double kConfidence = 0.95;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Probability of exactly `heads` heads of `tosses` fair coins.
double FairCoins(int64_t heads, int64_t tosses) {
  const auto k = static_cast<double>(heads);
  const auto n = static_cast<double>(tosses);
  return std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) -
                  std::lgamma(n - k + 1) - n * std::log(2.0));
}

// How often the interval from the `rank`-th smallest to the `rank`-th largest
// of `count` values holds the median.
double Coverage(int64_t rank, int64_t count) {
  double outside = 0;
  for (int64_t k = 0; k < rank; ++k) outside += 2 * FairCoins(k, count);
  return 1 - outside;
}

std::string Formatted(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof(text), format, value);
  return text;
}

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

bool Estimate::known() const {
  return std::isfinite(low) && std::isfinite(high);
}

std::optional<double> Estimate::KnownLow() const {
  return known() ? std::optional(low) : std::nullopt;
}

std::optional<double> Estimate::KnownHigh() const {
  return known() ? std::optional(high) : std::nullopt;
}

std::string EstimateText(const Estimate& estimate, const char* format,
                         const char* unknown) {
  if (!std::isfinite(estimate.value)) return "-";
  const std::string interval = estimate.known()
                                   ? Formatted(format, estimate.low) + ", " +
                                         Formatted(format, estimate.high)
                                   : unknown;
  return Formatted(format, estimate.value) + " [" + interval + "]";
}

Estimate PairedRatio(std::span<const double> a, std::span<const double> b) {
  STINT_CHECK(a.size() == b.size());
  std::vector<double> logs;
  for (size_t i = 0; i < a.size(); ++i) logs.push_back(std::log(a[i] / b[i]));
  const Estimate median = MedianEstimate(logs);
  return {std::exp(median.value), std::exp(median.low), std::exp(median.high)};
}

Estimate MedianEstimate(std::span<const double> values) {
  const double median = Median(values);
  const auto count = static_cast<int64_t>(values.size());
  if (count < kLeastForInterval) return {median, -kInfinity, kInfinity};
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  int64_t rank = 1;
  while (Coverage(rank + 1, count) >= kConfidence) ++rank;
  const double wide = Coverage(rank, count);
  const double narrow = Coverage(rank + 1, count);
  const double excess = (wide - kConfidence) / (wide - narrow);
  const auto n = static_cast<double>(count);
  const auto k = static_cast<double>(rank);
  const double inward = (n - k) * excess / (k + (n - 2 * k) * excess);
  const auto between = [&](int64_t outer, int64_t inner) {
    const double far = sorted[static_cast<size_t>(outer)];
    const double near = sorted[static_cast<size_t>(inner)];
    return far + inward * (near - far);
  };
  return {median, between(rank - 1, rank),
          between(count - rank, count - rank - 1)};
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
  const int64_t rows = only_first + only_second;
  // Each such row is a fair coin: twice the tail of the binomial distribution.
  double tail = 0;
  for (int64_t k = 0; k <= std::min(only_first, only_second); ++k) {
    tail += FairCoins(k, rows);
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
