#pragma once
// Byte convolution by weights most of which are 0, in groups of 4 input
// channels at one tap: what vpdpbusd multiplies at once. Images are taken apart
// into planes of such groups, vectors go over pixels, and each output has its
// own list of groups.

#include "kernels/conv_s8/conv_s8_table.h"

namespace stint {

// One group of channels; any window whose offsets fit 32 bits.
bool SparseS8Supports(const ConvF32Shape& shape);
// As large as weights without a zero need it.
int64_t SparseS8PackedBytes(const ConvS8Kernel& kernel,
                            const ConvF32Shape& shape, int64_t x_pixel);
void SparseS8Pack(const ConvS8Kernel& kernel, const ConvF32Shape& shape,
                  const ConvS8Weights& weights, int8_t* packed);
int64_t SparseS8ScratchBytes(const ConvS8Kernel& kernel,
                             const ConvF32Shape& shape, int64_t x_pixel,
                             int threads);
void SparseS8(const ConvS8Kernel& kernel, const ConvS8Args& args,
              ThreadPool* pool);

// What of packed weights is in use.
int64_t SparseS8UsedBytes(const ConvF32Shape& shape, const int8_t* packed);
// `bytes` of packed weights are what SparseS8Pack makes for this shape.
bool IsSparseS8(const ConvF32Shape& shape, const int8_t* packed, int64_t bytes);

// Share of the groups that are not all 0; `w` is [out_channels, in_channels,
// kernel_h, kernel_w].
double SparseS8Share(const ConvF32Shape& shape, const int8_t* w);

}  // namespace stint
