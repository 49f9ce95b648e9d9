#include "weights/planes/weight_histogram.h"

#include <algorithm>

namespace stint {

void WeightHistogram::Add(std::span<const float> weights, double importance) {
  for (float x : weights) {
    const int at = Bin(x) + 1;
    const double wide = x;
    count_[at] += importance;
    sum_[at] += importance * wide;
    square_[at] += importance * wide * wide;
  }
}

void WeightHistogram::Finish() {
  for (int i = 1; i <= kBins; ++i) {
    count_[i] += count_[i - 1];
    sum_[i] += sum_[i - 1];
    square_[i] += square_[i - 1];
  }
}

int WeightHistogram::EdgeOfWeight(double weight) const {
  return static_cast<int>(
      std::lower_bound(count_.begin(), count_.end(), weight) - count_.begin());
}

int WeightHistogram::BestValue(int begin, int end) const {
  return static_cast<int>(
      std::clamp<double>(std::round(Mean(begin, end)), -kMaxValue, kMaxValue));
}

}  // namespace stint
