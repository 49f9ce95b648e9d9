#include "core/meter/rank_tests.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/check.h"
#include "core/meter/distributions.h"
#include "core/meter/statistics.h"

namespace stint {
namespace {

constexpr size_t kMostForExact = 8;
constexpr size_t kMostPairsForExact = 50;

// Sum of t^3 - t over groups of t equal values.
double TieTerm(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  double sum = 0;
  for (size_t i = 0; i < values.size();) {
    size_t j = i;
    while (j < values.size() && values[j] == values[i]) ++j;
    const auto t = static_cast<double>(j - i);
    sum += t * t * t - t;
    i = j;
  }
  return sum;
}

// Probability that U of groups of n and m exceeds or equals u, all orders
// being equally likely. counts[k][v] are the ways to place k of the smaller
// group among the values so far with a U of v.
double ExactTail(size_t n, size_t m, double u) {
  if (n > m) std::swap(n, m);
  const size_t most = n * m;
  std::vector<std::vector<double>> counts(n + 1,
                                          std::vector<double>(most + 1, 0.0));
  counts[0][0] = 1;
  for (size_t place = 0; place < n + m; ++place) {
    for (size_t k = std::min(n, place + 1); k > 0; --k) {
      const size_t below = place - (k - 1);  // of the other group
      for (size_t v = most + 1; v-- > below;) {
        counts[k][v] += counts[k - 1][v - below];
      }
    }
  }
  double total = 0, tail = 0;
  for (size_t v = 0; v <= most; ++v) {
    total += counts[n][v];
    if (static_cast<double>(v) >= u) tail += counts[n][v];
  }
  return tail / total;
}

double ApproximateTail(double n, double m, double u, double ties) {
  const double all = n + m;
  const double deviation =
      std::sqrt(n * m / 12 * (all + 1 - ties / (all * (all - 1))));
  if (deviation == 0) return 0.5;
  return NormalTail((u - n * m / 2 - 0.5) / deviation);
}

double UOf(std::span<const double> a, std::span<const double> b) {
  std::vector<double> all(a.begin(), a.end());
  all.insert(all.end(), b.begin(), b.end());
  const std::vector<double> ranks = RanksOf(all);
  const double sum = std::accumulate(
      ranks.begin(), ranks.begin() + static_cast<ptrdiff_t>(a.size()), 0.0);
  const auto n = static_cast<double>(a.size());
  return sum - n * (n + 1) / 2;
}

// Probability that the sum of the ranks that get a plus is at most `sum`, every
// choice of signs being equally likely. Shared ranks are halves: all are
// doubled.
double ExactSignedTail(std::span<const double> ranks, double sum) {
  std::vector<double> share = {1};  // of choices, by the doubled sum
  for (double rank : ranks) {
    const auto step = static_cast<size_t>(std::lround(2 * rank));
    std::vector<double> next(share.size() + step, 0.0);
    for (size_t v = 0; v < share.size(); ++v) {
      next[v] += share[v] / 2;
      next[v + step] += share[v] / 2;
    }
    share = std::move(next);
  }
  const auto last = static_cast<size_t>(std::lround(2 * sum));
  return std::accumulate(share.begin(),
                         share.begin() + static_cast<ptrdiff_t>(last) + 1, 0.0);
}

}  // namespace

std::vector<double> RanksOf(std::span<const double> values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (size_t i = 0; i < order.size();) {
    size_t j = i;
    while (j < order.size() && values[order[j]] == values[order[i]]) ++j;
    for (size_t k = i; k < j; ++k) {
      ranks[order[k]] = static_cast<double>(i + j + 1) / 2;
    }
    i = j;
  }
  return ranks;
}

TestResult KruskalWallis(std::span<const std::vector<double>> groups) {
  STINT_CHECK(groups.size() >= 2);
  std::vector<double> all;
  for (const auto& group : groups) {
    STINT_CHECK(!group.empty());
    all.insert(all.end(), group.begin(), group.end());
  }
  const auto n = static_cast<double>(all.size());
  const double correction = 1 - TieTerm(all) / (n * n * n - n);
  if (correction == 0) return {0, 1};
  const std::vector<double> ranks = RanksOf(all);
  double sum = 0;
  size_t begin = 0;
  for (const auto& group : groups) {
    double ranks_of_group = 0;
    for (size_t i = 0; i < group.size(); ++i) {
      ranks_of_group += ranks[begin + i];
    }
    sum += ranks_of_group * ranks_of_group / static_cast<double>(group.size());
    begin += group.size();
  }
  const double h = (12 / (n * (n + 1)) * sum - 3 * (n + 1)) / correction;
  return {h, ChiSquareTail(h, static_cast<double>(groups.size() - 1))};
}

TestResult MannWhitney(std::span<const double> a, std::span<const double> b) {
  STINT_CHECK(!a.empty() && !b.empty());
  std::vector<double> all(a.begin(), a.end());
  all.insert(all.end(), b.begin(), b.end());
  const double ties = TieTerm(all);
  const double u = UOf(a, b);
  const auto n = static_cast<double>(a.size());
  const auto m = static_cast<double>(b.size());
  const double larger = std::max(u, n * m - u);
  const bool exact =
      ties == 0 && (a.size() <= kMostForExact || b.size() <= kMostForExact);
  const double tail = exact ? ExactTail(a.size(), b.size(), larger)
                            : ApproximateTail(n, m, larger, ties);
  return {u, std::min(1.0, 2 * tail)};
}

TestResult WilcoxonSignedRank(std::span<const double> a,
                              std::span<const double> b) {
  STINT_CHECK(a.size() == b.size());
  std::vector<double> sizes;
  std::vector<bool> positive;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    sizes.push_back(std::abs(a[i] - b[i]));
    positive.push_back(a[i] > b[i]);
  }
  if (sizes.empty()) return {0, 1};
  const std::vector<double> ranks = RanksOf(sizes);
  double plus = 0, minus = 0;
  for (size_t i = 0; i < ranks.size(); ++i) {
    (positive[i] ? plus : minus) += ranks[i];
  }
  const double w = std::min(plus, minus);
  if (ranks.size() <= kMostPairsForExact) {
    return {w, std::min(1.0, 2 * ExactSignedTail(ranks, w))};
  }
  const auto n = static_cast<double>(ranks.size());
  const double deviation =
      std::sqrt(n * (n + 1) * (2 * n + 1) / 24 - TieTerm(sizes) / 48);
  const double z = (n * (n + 1) / 4 - w) / deviation;
  return {w, std::min(1.0, 2 * NormalTail(z))};
}

int PairsForWilcoxon(double level) {
  STINT_CHECK(level > 0);
  int pairs = 1;
  for (double least = 1; least > level; least /= 2) ++pairs;
  return pairs;
}

double CliffsDelta(std::span<const double> a, std::span<const double> b) {
  STINT_CHECK(!a.empty() && !b.empty());
  return 2 * UOf(a, b) /
             (static_cast<double>(a.size()) * static_cast<double>(b.size())) -
         1;
}

const char* CliffsDeltaWord(double delta) {
  const double size = std::abs(delta);
  if (size < 0.147) return "negligible";
  if (size < 0.33) return "small";
  return size < 0.474 ? "medium" : "large";
}

double Pearson(std::span<const double> x, std::span<const double> y) {
  STINT_CHECK(x.size() == y.size());
  const double nan = std::numeric_limits<double>::quiet_NaN();
  if (x.size() < 2) return nan;
  const double mean_x = Mean(x);
  const double mean_y = Mean(y);
  double xx = 0, yy = 0, xy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
  }
  if (xx == 0 || yy == 0) return nan;
  return xy / (std::sqrt(xx) * std::sqrt(yy));
}

double Spearman(std::span<const double> x, std::span<const double> y) {
  const auto is_nan = [](double value) { return std::isnan(value); };
  if (std::any_of(x.begin(), x.end(), is_nan) ||
      std::any_of(y.begin(), y.end(), is_nan)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return Pearson(RanksOf(x), RanksOf(y));
}

}  // namespace stint
