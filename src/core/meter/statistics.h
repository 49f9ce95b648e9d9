#pragma once
// Robust statistics of measured times, and tests of differences. Pure
// functions; the same numbers always give the same answer.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
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

// Fewer values than this have no 95 % interval of their median: even the range
// of five holds it in only 94 % of cases.
inline constexpr int kLeastForInterval = 6;

// A figure with its 95 % interval. Of too few values there is none: the ends
// are then as far out as they can be (-inf or 0, and inf), and known() is
// false.
struct Estimate {
  double value = 0;
  double low = 0;
  double high = 0;

  bool known() const;
  // The ends; nothing where the interval is not known.
  std::optional<double> KnownLow() const;
  std::optional<double> KnownHigh() const;
};

// "1.20 [1.10, 1.31]" with `format` (as "%.2f") for each of the three, and
// `unknown` for an interval that is not known; "-" for a value that is not a
// finite number.
std::string EstimateText(const Estimate& estimate, const char* format,
                         const char* unknown = "-");

// What to show for such an interval where there is room: "n/a (needs ...)".
inline constexpr char kNeedsRounds[] = "n/a: needs 6 rounds";
static_assert(kLeastForInterval == 6, "kNeedsRounds says 6");

// How much larger a[i] is than b[i]: exp of the median of log(a[i] / b[i]) with
// its interval as below. All numbers must be positive, and both lists of one
// length; NaN without a pair, no interval below kLeastForInterval pairs.
Estimate PairedRatio(std::span<const double> a, std::span<const double> b);

// The median with the interval of the sign test, whatever the distribution:
// order statistics, interpolated between the two that hold the median more and
// less often than 95 % (Hettmansperger and Sheather 1986). NaN without a value,
// no interval below kLeastForInterval values.
Estimate MedianEstimate(std::span<const double> values);

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
