#pragma once
// The loops of one instruction set: pixels between blocked images and planes,
// and sums over entries.

#include <cstdint>

#include "kernels/simd/activation.h"

namespace stint {

// Pixels that a row of sums may be computed past its end: planes and sums have
// so much room.
inline constexpr int64_t kSparseOverrun = 128;

// Entries [0, count) of one block of outputs over a row of pixels:
// sums[r * pitch + f] = sum of values[e * rows + r] * x[offsets[e] + f].
struct SparseSums {
  int rows;
  int64_t count;
  const int32_t* offsets;
  const float* values;
  const float* x;
  int64_t pixels;
  float* sums;
  int64_t pitch;
};

// `pixels` pixels that are `stride` blocks apart to one row of each of
// `channels` planes, `plane` floats apart.
struct SparseSplit {
  const float* x;
  int64_t stride;  // blocks
  int64_t pixels;
  int64_t channels;  // of this block
  float* planes;
  int64_t plane;
};

// Rows of sums to pixels of a block: y = act(sums + bias + residual).
struct SparseFinish {
  const float* sums;
  int64_t pitch;
  int64_t pixels;
  const float* bias;      // or null
  const float* residual;  // like y, or null
  Activation act;
  float* y;
  int64_t y_pitch;  // floats from pixel to pixel, at least a block
};

struct SparseLoops {
  void (*sum)(const SparseSums& args);
  void (*split)(const SparseSplit& args);
  void (*finish)(const SparseFinish& args);
};

}  // namespace stint
