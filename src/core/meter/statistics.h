#pragma once
// Robust statistics of measured times. Pure functions; the same numbers always
// give the same answer.

#include <cstdint>
#include <span>
#include <vector>

namespace stint {

// The quantile q in [0, 1] with linear interpolation between neighbors (type 7,
// as NumPy's default). NaN for no values.
double Quantile(std::span<const double> values, double q);
double Median(std::span<const double> values);
double Mean(std::span<const double> values);

// Median of the distances to the median, not scaled.
double MedianAbsoluteDeviation(std::span<const double> values);

// For each value whether it is farther than `limit` deviations (as above) from
// the median. Nothing is an outlier while the deviation is 0.
std::vector<bool> FlagOutliers(std::span<const double> values,
                               double limit = 5);

// A figure with its 95 % interval.
struct Estimate {
  double value = 0;
  double low = 0;
  double high = 0;
};

// How much larger a[i] is than b[i]: exp of the median of log(a[i] / b[i]),
// with a percentile bootstrap over the pairs. All numbers must be positive, and
// both lists of one length; NaN without a pair, an interval of one point with
// one.
Estimate PairedRatio(std::span<const double> a, std::span<const double> b,
                     uint64_t seed);

}  // namespace stint
