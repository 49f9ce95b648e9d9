#pragma once
// The distribution of an activation, as far as it is seen, and the range of a
// byte that loses least of it.

#include <array>
#include <cstdint>
#include <span>

#include "engine/lower/activation_ranges.h"
#include "stint/calibration.h"

namespace stint {

class Histogram {
 public:
  // Numbers that are not finite are left out.
  void Add(std::span<const float> values);

  bool empty() const { return total_ == 0; }
  float min() const { return min_; }
  float max() const { return max_; }

  // Contains 0.
  ActivationRange Range(RangeObserver observer = RangeObserver::kBest) const;

 private:
  // Bin i covers [(i - kHalf) * limit / kHalf, one bin more).
  static constexpr int kHalf = 1024;
  void Widen(float value);
  double Error(const ActivationRange& range) const;
  // What was seen between -most and most.
  ActivationRange Within(float most) const;
  // The range of least error, if that is below `bound` times that of all.
  ActivationRange LeastError(double bound) const;
  ActivationRange Percentile() const;

  std::array<int64_t, 2 * kHalf> bins_{};
  int64_t zeros_ = 0;  // exact, and represented exactly
  int64_t total_ = 0;
  float limit_ = 0;  // 0: nothing seen yet
  float min_ = 0;
  float max_ = 0;
};

}  // namespace stint
