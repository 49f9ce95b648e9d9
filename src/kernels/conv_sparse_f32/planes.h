#pragma once
// A convolution's image taken apart into planes of pixels that are a stride
// apart, with their padding: output pixel f of a row reads pixel f + offset of
// one plane for each tap, whatever the stride.

#include <cstdint>
#include <vector>

#include "kernels/geometry/conv_shape.h"

namespace stint {

// Output row i, column j of plane (c, phase) is pixel
// (i * stride + phase_h - pad, j * stride + phase_w - pad) of channel c.
struct SparsePlanes {
  int64_t phases_h = 1;  // phases that any tap reads: 0 up to this
  int64_t phases_w = 1;
  int64_t height = 0;
  int64_t width = 0;
  int64_t gap = 0;  // floats between planes

  int64_t phases() const { return phases_h * phases_w; }
  int64_t plane() const { return height * width + gap; }  // floats
};

// Of the whole image.
SparsePlanes MakeSparsePlanes(const ConvF32Shape& shape);

// Rows of planes past those of the outputs that read them.
int64_t SparseHalo(const ConvF32Shape& shape);

// For each place, of [in_channels * taps], its offset in floats from the pixel
// that an output starts at.
void FillSparsePlaceOffsets(const ConvF32Shape& shape,
                            const SparsePlanes& planes, int32_t* offsets);

}  // namespace stint
