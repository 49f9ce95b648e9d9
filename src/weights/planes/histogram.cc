#include "weights/planes/histogram.h"

#include <algorithm>

namespace stint {

void Histogram::Add(std::span<const float> weights, double importance) {
  for (float x : weights) {
    const int at = Bin(x) + 1;
    const double wide = x;
    count_[at] += importance;
    sum_[at] += importance * wide;
    square_[at] += importance * wide * wide;
  }
}

void Histogram::Finish() {
  for (int i = 1; i <= kBins; ++i) {
    count_[i] += count_[i - 1];
    sum_[i] += sum_[i - 1];
    square_[i] += square_[i - 1];
  }
}

int Histogram::EdgeOfWeight(double weight) const {
  return static_cast<int>(
      std::lower_bound(count_.begin(), count_.end(), weight) - count_.begin());
}

int Histogram::BestValue(int begin, int end) const {
  return static_cast<int>(
      std::clamp<double>(std::round(Mean(begin, end)), -kMaxValue, kMaxValue));
}

}  // namespace stint
