#pragma once
// Codes back to float32: the reference for kernels that compute on codes.

#include <cstdint>
#include <span>

#include "weights/planes/plane_matrix.h"

namespace stint {

// A block as its reader finds it, in memory or in a file.
struct PlaneBlockView {
  PlaneBlockShape shape;
  const uint64_t* planes = nullptr;  // plane_words() each, plane 0 first
  const int8_t* values = nullptr;    // 2^bits, the dictionary of `bits`
  int bits = kPlaneMaxBits;
  const float* scales = nullptr;  // one per output of the block
  std::span<const PlaneOutlier> outliers;
};

// The block's weights at view.bits, [outputs, inputs], rows `stride` apart.
void DecodeBlock(const PlaneBlockView& view, float* to, int64_t stride);

// All blocks of a matrix at `bits`, which it must have: [outputs, inputs].
void DecodeMatrix(const PlaneMatrix& matrix, int bits, float* to);

}  // namespace stint
