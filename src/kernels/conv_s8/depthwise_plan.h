#pragma once
// How a row of a depthwise window is cut into fours of columns, and how many
// neighboring outputs share them.

#include <cstdint>

namespace stint {

// Windows of the common widths: kQuads fours hold the windows of kOutputs
// outputs. Interleaving costs twice as much as multiplying, so that sharing
// pays; 16 sums are enough to hide the products' latency.
template <int kWidth, int kStride>
struct DepthwisePlan {
  static constexpr int kQuads =
      (kWidth + 4) / 4 + (kWidth == 3 && kStride == 2);
  static constexpr int kFit = (4 * kQuads - kWidth) / kStride + 1;
  static constexpr int kOutputs = kFit < 4 ? kFit : 4;
  // Output o reads a column of four q.
  static constexpr bool Touches(int q, int o) {
    return 4 * q + 3 >= o * kStride && 4 * q < o * kStride + kWidth;
  }
};

struct DepthwiseShifts {
  int64_t quads;
  int64_t outputs;
};

// What RunDepthwiseS8 uses for a window, and the packing follows.
inline DepthwiseShifts ShiftsFor(int64_t width, int64_t stride,
                                 int64_t dilation) {
  if (dilation == 1 && (stride == 1 || stride == 2)) {
    if (width == 3) {
      return stride == 1 ? DepthwiseShifts{DepthwisePlan<3, 1>::kQuads,
                                           DepthwisePlan<3, 1>::kOutputs}
                         : DepthwiseShifts{DepthwisePlan<3, 2>::kQuads,
                                           DepthwisePlan<3, 2>::kOutputs};
    }
    if (width == 5) {
      return stride == 1 ? DepthwiseShifts{DepthwisePlan<5, 1>::kQuads,
                                           DepthwisePlan<5, 1>::kOutputs}
                         : DepthwiseShifts{DepthwisePlan<5, 2>::kQuads,
                                           DepthwisePlan<5, 2>::kOutputs};
    }
    if (width == 7) {
      return stride == 1 ? DepthwiseShifts{DepthwisePlan<7, 1>::kQuads,
                                           DepthwisePlan<7, 1>::kOutputs}
                         : DepthwiseShifts{DepthwisePlan<7, 2>::kQuads,
                                           DepthwisePlan<7, 2>::kOutputs};
    }
  }
  return {(width + 3) / 4, 1};
}

}  // namespace stint
