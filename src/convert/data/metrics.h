#pragma once
// How good predictions are: the metrics of the data sets; correlations are in
// core/meter/rank_tests.h. Spans given together have the same length.

#include <cstdint>
#include <span>

namespace stint {

// Index of the largest value, the first of equals; values must not be empty.
int ArgMax(std::span<const float> values);

// Whether fewer than k classes come before `label`: larger values, or equal
// ones with a smaller index. A NaN at the label is never right.
bool InTopK(std::span<const float> values, int label, int k);

// Share of equal entries; 0 of no entries.
double Accuracy(std::span<const int> predicted, std::span<const int> labels);

// Counts of a two-class task, whose classes are 0 and 1 (positive).
struct Confusion {
  int64_t true_positive = 0;
  int64_t true_negative = 0;
  int64_t false_positive = 0;
  int64_t false_negative = 0;

  void Add(int predicted, int label);
};
Confusion CountConfusion(std::span<const int> predicted,
                         std::span<const int> labels);

// Harmonic mean of precision and recall of class 1; 0 when undefined.
double F1(const Confusion& counts);
// Matthews correlation; 0 when undefined.
double MatthewsCorrelation(const Confusion& counts);

}  // namespace stint
