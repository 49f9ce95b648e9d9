#pragma once
// Robust statistics of measured times, and tests of differences. Pure
// functions; the same numbers always give the same answer.

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

// The median with a percentile bootstrap over the values; NaN without a value,
// an interval of one point with one.
Estimate MedianEstimate(std::span<const double> values, uint64_t seed);

// y = intercept + slope * x by least squares. `r2` is the share of the variance
// of y that the line explains; NaN when x or y does not vary.
struct LineFit {
  double intercept = 0;
  double slope = 0;
  double r2 = 0;
};
LineFit FitLine(std::span<const double> x, std::span<const double> y);

// Whether two classifiers differ on the same rows, from the rows that only one
// of them got right: the exact two-sided p-value of McNemar's test. 1 when
// there is no such row.
double McNemarP(int64_t only_first, int64_t only_second);

// p-values of several tests, adjusted by Holm so that the chance of one false
// alarm among all of them stays below the level that each is compared with.
std::vector<double> HolmAdjusted(std::span<const double> p_values);

}  // namespace stint
