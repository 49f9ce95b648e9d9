"""Writes statistics_expected.inc: numbers, and what SciPy makes of them.

Usage: statistics_expected.py > statistics_expected.inc; needs NumPy and SciPy.
"""

import numpy as np
from scipy import stats


def numbers(values):
    return "{" + ", ".join(repr(float(v)) for v in values) + "}"


def groups():
    """Pairs of lists: times that differ, ties, small, long-tailed."""
    random = np.random.default_rng(20231)
    yield random.normal(10, 1, 12), random.normal(11, 1, 15)
    yield random.normal(10, 1, 5), random.normal(10.5, 1, 7)
    yield np.exp(random.normal(0, 1, 30)), np.exp(random.normal(0.3, 1, 25))
    yield random.integers(0, 6, 20), random.integers(1, 8, 18)
    yield random.integers(0, 4, 6), random.integers(0, 4, 5)
    yield random.uniform(0, 1, 3), random.uniform(2, 3, 4)
    yield random.normal(0, 1, 8), random.normal(1, 1, 40)


def median_interval(values):
    """Order statistics at 95 %, interpolated as Hettmansperger and Sheather do."""
    ordered, n = np.sort(values), len(values)
    coverage = lambda k: 1 - 2 * stats.binom.cdf(k - 1, n, 0.5)
    if coverage(1) < 0.95:
        return -np.inf, np.inf
    k = max(k for k in range(1, n // 2 + 1) if coverage(k) >= 0.95)
    share = (coverage(k) - 0.95) / (coverage(k) - coverage(k + 1))
    inward = (n - k) * share / (k + (n - 2 * k) * share)
    return ((1 - inward) * ordered[k - 1] + inward * ordered[k],
            (1 - inward) * ordered[n - k] + inward * ordered[n - k - 1])


def signed_rank(a, b):
    """Wilcoxon's statistic and exact p; by all choices of signs where ranks are shared, which SciPy leaves to them."""
    differences = (a - b)[a != b]
    ranks = stats.rankdata(np.abs(differences))
    statistic = min(ranks[differences > 0].sum(), ranks[differences < 0].sum())
    if len(set(np.abs(differences))) == len(differences):
        test = stats.wilcoxon(a, b, method="exact")
        assert test.statistic == statistic
        return statistic, test.pvalue
    test = stats.permutation_test((differences,), lambda d: ranks[d > 0].sum() - ranks.sum() / 2, permutation_type="samples",
                                  n_resamples=np.inf)
    return statistic, test.pvalue


def cpp(value):
    return {np.inf: "INFINITY", -np.inf: "-INFINITY"}.get(value, repr(float(value)))


def main():
    print("// Written by statistics_expected.py; do not edit.")
    print("// clang-format off")
    print("const std::vector<ExpectedPair> kPairs = {")
    for a, b in groups():
        a, b = np.asarray(a, float), np.asarray(b, float)
        shapiro = stats.shapiro(a)
        mann = stats.mannwhitneyu(a, b, alternative="two-sided")
        third = np.concatenate([a[:3] + 0.25, b[:2]])
        kruskal = stats.kruskal(a, b, third)
        delta = np.sign(a[:, None] - b[None, :]).mean()
        shorter = min(len(a), len(b))
        rank = stats.spearmanr(a[:shorter], b[:shorter]).statistic
        interval = median_interval(a)
        outer = stats.quantile_test(a, q=np.median(a), p=0.5).confidence_interval(0.95)
        if np.isfinite(interval[0]):
            assert outer.low <= interval[0] and interval[1] <= outer.high
        signed = signed_rank(a[:shorter], b[:shorter])
        fit = stats.linregress(a[:shorter], b[:shorter])
        print(f"  {{{numbers(a)},\n   {numbers(b)},")
        for row in (
                [shapiro.statistic, shapiro.pvalue],
                [mann.statistic, mann.pvalue],
                [kruskal.statistic, kruskal.pvalue], [delta, rank],
                [np.median(a), *interval],
                [fit.intercept, fit.slope, fit.rvalue ** 2], signed):
            print("   " + ", ".join(cpp(v) for v in row) + ",")
        print("  },")
    print("};")
    print("const std::vector<std::array<double, 3>> kChiSquare = {")
    for x, degrees in [(0.1, 1), (3.84, 1), (5, 2), (0.5, 7), (40, 7),
                       (100, 120), (700, 3)]:
        print(f"  {{{x}, {degrees}, {float(stats.chi2.sf(x, degrees))!r}}},")
    print("};")
    print("const std::vector<std::array<double, 2>> kNormalQuantile = {")
    for p in [1e-9, 0.001, 0.025, 0.3, 0.5, 0.9, 0.999999]:
        print(f"  {{{p}, {float(stats.norm.ppf(p))!r}}},")
    print("};")


if __name__ == "__main__":
    main()
