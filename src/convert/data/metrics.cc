#include "convert/data/metrics.h"

#include <algorithm>
#include <cmath>

#include "core/base/check.h"

namespace stint {

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

void Confusion::Add(int predicted, int label) {
  const bool positive = predicted == 1;
  const bool right = positive == (label == 1);
  true_positive += positive && right;
  false_positive += positive && !right;
  true_negative += !positive && right;
  false_negative += !positive && !right;
}

Confusion CountConfusion(std::span<const int> predicted,
                         std::span<const int> labels) {
  STINT_CHECK(predicted.size() == labels.size());
  Confusion counts;
  for (size_t i = 0; i < labels.size(); ++i) {
    counts.Add(predicted[i], labels[i]);
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

}  // namespace stint
