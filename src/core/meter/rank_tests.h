#pragma once
// Tests that look only at the order of numbers, so that times and energies need
// not be normal: whether groups differ, and by how much. The normality check
// beside them says how far from normal they are.

#include <span>
#include <vector>

namespace stint {

// 1 for the smallest; equal values share the mean of their ranks.
std::vector<double> RanksOf(std::span<const double> values);

struct TestResult {
  double statistic = 0;
  double p = 1;
};

// Shapiro and Wilk's test (Royston 1995): small p, not normal. For 3 to 5000
// values; NaN for other counts, and for values that are all the same.
TestResult ShapiroWilk(std::span<const double> values);

// Kruskal and Wallis: whether some of several groups tends to larger values. H
// with the correction for ties, p from chi-square. Groups that are all the same
// number give H 0 and p 1. At least two groups, none empty.
TestResult KruskalWallis(std::span<const std::vector<double>> groups);

// Mann and Whitney, two-sided: U of `a`. Exact when a group has at most 8
// values and there are no ties, else normal with the corrections for ties and
// continuity, as SciPy chooses. Neither group empty.
TestResult MannWhitney(std::span<const double> a, std::span<const double> b);

// Wilcoxon's signed-rank test of the pairs a[i], b[i], two-sided: the smaller
// sum of ranks. Pairs without a difference are left out; exact for up to 50
// others, ties included, else normal with the correction for ties. p 1 for no
// pair that differs. Both spans have the same length.
TestResult WilcoxonSignedRank(std::span<const double> a,
                              std::span<const double> b);
// The fewest pairs with which that test can find p <= level, all differences
// having one sign.
int PairsForWilcoxon(double level);

// How often a value of `a` exceeds one of `b`, less how often it is below: -1
// to 1.
double CliffsDelta(std::span<const double> a, std::span<const double> b);
// "negligible" below 0.147, "small" below 0.33, "medium" below 0.474, "large".
const char* CliffsDeltaWord(double delta);

// Correlation of values; NaN with fewer than two entries or no variation. Both
// spans have the same length.
double Pearson(std::span<const double> x, std::span<const double> y);
// Correlation of ranks, equal values sharing their mean rank; NaN as above.
double Spearman(std::span<const double> x, std::span<const double> y);

}  // namespace stint
