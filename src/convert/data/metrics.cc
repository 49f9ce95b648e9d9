#include "convert/data/metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "core/base/check.h"

namespace stint {
namespace {

double Mean(std::span<const double> x) {
  return std::accumulate(x.begin(), x.end(), 0.0) /
         static_cast<double>(x.size());
}

// Ranks from 1; equal values get the mean of the ranks they cover.
std::vector<double> Ranks(std::span<const double> x) {
  std::vector<size_t> order(x.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return x[a] < x[b]; });
  std::vector<double> ranks(x.size());
  for (size_t begin = 0; begin < order.size();) {
    size_t end = begin + 1;
    while (end < order.size() && x[order[end]] == x[order[begin]]) ++end;
    const double rank = 0.5 * static_cast<double>(begin + 1 + end);
    for (size_t i = begin; i < end; ++i) ranks[order[i]] = rank;
    begin = end;
  }
  return ranks;
}

bool HasNan(std::span<const double> x) {
  return std::any_of(x.begin(), x.end(), [](double v) { return v != v; });
}

}  // namespace

int ArgMax(std::span<const float> values) {
  STINT_CHECK(!values.empty());
  return static_cast<int>(std::max_element(values.begin(), values.end()) -
                          values.begin());
}

bool InTopK(std::span<const float> values, int label, int k) {
  STINT_CHECK(label >= 0);
  if (static_cast<size_t>(label) >= values.size()) return false;
  const float own = values[label];
  if (std::isnan(own)) return false;
  int before = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    before +=
        values[i] > own || (values[i] == own && i < static_cast<size_t>(label));
  }
  return before < k;
}

double Accuracy(std::span<const int> predicted, std::span<const int> labels) {
  STINT_CHECK(predicted.size() == labels.size());
  if (labels.empty()) return 0;
  size_t correct = 0;
  for (size_t i = 0; i < labels.size(); ++i) {
    correct += predicted[i] == labels[i];
  }
  return static_cast<double>(correct) / static_cast<double>(labels.size());
}

Confusion CountConfusion(std::span<const int> predicted,
                         std::span<const int> labels) {
  STINT_CHECK(predicted.size() == labels.size());
  Confusion counts;
  for (size_t i = 0; i < labels.size(); ++i) {
    const bool positive = predicted[i] == 1;
    const bool right = positive == (labels[i] == 1);
    counts.true_positive += positive && right;
    counts.false_positive += positive && !right;
    counts.true_negative += !positive && right;
    counts.false_negative += !positive && !right;
  }
  return counts;
}

double F1(const Confusion& counts) {
  const auto hits = static_cast<double>(2 * counts.true_positive);
  const auto all =
      hits + static_cast<double>(counts.false_positive + counts.false_negative);
  return all == 0 ? 0 : hits / all;
}

double MatthewsCorrelation(const Confusion& counts) {
  const auto tp = static_cast<double>(counts.true_positive);
  const auto tn = static_cast<double>(counts.true_negative);
  const auto fp = static_cast<double>(counts.false_positive);
  const auto fn = static_cast<double>(counts.false_negative);
  const double norm = std::sqrt(tp + fp) * std::sqrt(tp + fn) *
                      std::sqrt(tn + fp) * std::sqrt(tn + fn);
  return norm == 0 ? 0 : (tp * tn - fp * fn) / norm;
}

double Pearson(std::span<const double> x, std::span<const double> y) {
  STINT_CHECK(x.size() == y.size());
  if (x.size() < 2) return std::numeric_limits<double>::quiet_NaN();
  const double mean_x = Mean(x);
  const double mean_y = Mean(y);
  double xx = 0;
  double yy = 0;
  double xy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double dx = x[i] - mean_x;
    const double dy = y[i] - mean_y;
    xx += dx * dx;
    yy += dy * dy;
    xy += dx * dy;
  }
  if (xx == 0 || yy == 0) return std::numeric_limits<double>::quiet_NaN();
  return xy / (std::sqrt(xx) * std::sqrt(yy));
}

double Spearman(std::span<const double> x, std::span<const double> y) {
  if (HasNan(x) || HasNan(y)) return std::numeric_limits<double>::quiet_NaN();
  return Pearson(Ranks(x), Ranks(y));
}

}  // namespace stint
