#include "kernels/conv_sparse_f32/planes.h"

#include <algorithm>

namespace stint {
namespace {

// Of taps that are `dilation` apart.
int64_t PhasesOf(int64_t kernel, int64_t dilation, int64_t stride) {
  int64_t most = 0;
  for (int64_t k = 0; k < kernel; ++k) {
    most = std::max(most, k * dilation % stride);
  }
  return most + 1;
}

}  // namespace

SparsePlanes MakeSparsePlanes(const ConvF32Shape& s) {
  SparsePlanes planes;
  planes.phases_h = PhasesOf(s.kernel_h, s.dilation_h, s.stride_h);
  planes.phases_w = PhasesOf(s.kernel_w, s.dilation_w, s.stride_w);
  planes.height = s.out_h + SparseHalo(s);
  planes.width = s.out_w + (s.kernel_w - 1) * s.dilation_w / s.stride_w;
  return planes;
}

int64_t SparseHalo(const ConvF32Shape& s) {
  return (s.kernel_h - 1) * s.dilation_h / s.stride_h;
}

void FillSparsePlaceOffsets(const ConvF32Shape& s, const SparsePlanes& planes,
                            int32_t* offsets) {
  for (int64_t c = 0; c < s.in_channels; ++c) {
    for (int64_t r = 0; r < s.kernel_h; ++r) {
      for (int64_t q = 0; q < s.kernel_w; ++q) {
        const int64_t y = r * s.dilation_h;
        const int64_t x = q * s.dilation_w;
        const int64_t phase = y % s.stride_h * planes.phases_w + x % s.stride_w;
        *offsets++ = static_cast<int32_t>(
            (c * planes.phases() + phase) * planes.plane() +
            y / s.stride_h * planes.width + x / s.stride_w);
      }
    }
  }
}

}  // namespace stint
