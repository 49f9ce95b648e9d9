#pragma once
// A plane copied into scratch with its padding around it, so that window loops
// (depthwise convolution, pooling) need no border cases and may read whole
// vectors.

#include <algorithm>
#include <cstdint>

namespace stint {

struct WindowAxis {
  int64_t in;
  int64_t out;
  int64_t kernel;
  int64_t stride;
  int64_t dilation;
  int64_t pad;
};

struct PaddedPlane {
  WindowAxis h;
  WindowAxis w;
  int64_t rows;
  int64_t pitch;   // floats per row
  int64_t floats;  // scratch for one plane, a multiple of 16
};

// Floats of an axis that any window touches, padding included.
inline int64_t WindowReach(const WindowAxis& axis) {
  return (axis.out - 1) * axis.stride + (axis.kernel - 1) * axis.dilation + 1;
}

inline PaddedPlane MakePaddedPlane(const WindowAxis& h, const WindowAxis& w) {
  // The widest vector is 16 floats; at the end of a row it reads 16 strides.
  constexpr int64_t kVector = 16;
  const int64_t rows = WindowReach(h);
  const int64_t pitch = WindowReach(w);
  const int64_t floats = rows * pitch + kVector * w.stride + kVector;
  return {h, w, rows, pitch, (floats + 15) / 16 * 16};
}

// Copies plane x [h.in, w.in] into `to` and sets all around it to `padding`.
inline void FillPaddedPlane(const PaddedPlane& plane, const float* x,
                            float padding, float* to) {
  const int64_t left = std::min(plane.w.pad, plane.pitch);
  const int64_t count = std::clamp<int64_t>(plane.pitch - left, 0, plane.w.in);
  float* row = to;
  for (int64_t r = 0; r < plane.rows; ++r, row += plane.pitch) {
    const int64_t y = r - plane.h.pad;
    if (y < 0 || y >= plane.h.in) {
      std::fill_n(row, plane.pitch, padding);
      continue;
    }
    std::fill_n(row, left, padding);
    std::copy_n(x + y * plane.w.in, count, row + left);
    std::fill(row + left + count, row + plane.pitch, padding);
  }
  std::fill(row, to + plane.floats, padding);
}

}  // namespace stint
