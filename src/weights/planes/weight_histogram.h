#pragma once
// Weights in units of an int8 grid as a histogram whose prefix sums give the
// squared error of any cell in constant time.

#include <array>
#include <cmath>
#include <cstdint>
#include <span>

namespace stint {

class WeightHistogram {
 public:
  static constexpr int kSteps = 16;  // bins per grid unit
  static constexpr int kMaxValue = 127;
  static constexpr int kBins = (2 * kMaxValue + 1) * kSteps;

  // The bin of x, which lies within half a unit of the grid; what lies beyond
  // belongs to the outermost bins.
  static int Bin(float x) {
    const float at = (x + (kMaxValue + 0.5f)) * kSteps;
    return at <= 0 ? 0 : at >= kBins ? kBins - 1 : static_cast<int>(at);
  }
  // Where bin `edge` begins, in grid units.
  static double Edge(int edge) {
    return static_cast<double>(edge) / kSteps - (kMaxValue + 0.5);
  }
  // The edge nearest to x.
  static int NearestEdge(double x) {
    const double at = std::round((x + (kMaxValue + 0.5)) * kSteps);
    return at <= 0 ? 0 : at >= kBins ? kBins : static_cast<int>(at);
  }

  // Adds weights, each counted `importance` times. To be done before Finish().
  void Add(std::span<const float> weights, double importance);
  // Turns the bins into prefix sums.
  void Finish();

  double Weight(int begin, int end) const {
    return count_[end] - count_[begin];
  }
  // Weight up to an edge is monotonic: the edge at which it reaches `weight`.
  int EdgeOfWeight(double weight) const;
  // Of the weights in the bins; the middle of the bins when there are none.
  double Mean(int begin, int end) const {
    const double weight = Weight(begin, end);
    return weight > 0 ? (sum_[end] - sum_[begin]) / weight
                      : 0.5 * (Edge(begin) + Edge(end));
  }
  // The int8 value with the least squared error for the bins [begin, end).
  int BestValue(int begin, int end) const;
  double Error(int begin, int end, int value) const {
    const double v = value;
    return square_[end] - square_[begin] - 2 * v * (sum_[end] - sum_[begin]) +
           v * v * Weight(begin, end);
  }
  double BestError(int begin, int end) const {
    return Error(begin, end, BestValue(begin, end));
  }

 private:
  // Entry i + 1 holds bin i until Finish().
  std::array<double, kBins + 1> count_{};
  std::array<double, kBins + 1> sum_{};
  std::array<double, kBins + 1> square_{};
};

}  // namespace stint
