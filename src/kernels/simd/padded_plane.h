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

// The part of a padded plane that holds the image.
struct PlaneInterior {
  int64_t at;    // offset of the first copied float in the padded plane
  int64_t rows;  // rows and columns of the image that windows reach
  int64_t cols;
};

inline PlaneInterior InteriorOf(const PaddedPlane& plane) {
  const int64_t top = std::min(plane.h.pad, plane.rows);
  const int64_t left = std::min(plane.w.pad, plane.pitch);
  return {top * plane.pitch + left, std::min(plane.rows - top, plane.h.in),
          std::min(plane.pitch - left, plane.w.in)};
}

// Sets the whole buffer to `padding`. Once per buffer is enough: images copied
// into it one after the other overwrite the same interior.
inline void FillPadding(const PaddedPlane& plane, float padding, float* to) {
  std::fill_n(to, plane.floats, padding);
}

// Copies image x [h.in, w.in] into the interior.
inline void CopyInterior(const PaddedPlane& plane, const float* x, float* to) {
  const PlaneInterior in = InteriorOf(plane);
  for (int64_t r = 0; r < in.rows; ++r) {
    std::copy_n(x + r * plane.w.in, in.cols, to + in.at + r * plane.pitch);
  }
}

}  // namespace stint
