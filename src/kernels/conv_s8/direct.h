#pragma once
// Byte convolutions as products of windows and panels of weights. A row of a
// window is one run of contiguous bytes, so that 1x1 is a plain product over
// pixels and the first layer needs no other code. Padded images are copied band
// by band; bands and panels are sized for L2.

#include <cstdint>

#include "kernels/conv_s8/conv_s8.h"

namespace stint {

struct ConvS8Kernel;

bool DirectS8Supports(const ConvF32Shape& shape);
int64_t DirectS8PackedBytes(const ConvS8Kernel& kernel,
                            const ConvF32Shape& shape, int64_t x_pixel);
void DirectS8Pack(const ConvS8Kernel& kernel, const ConvF32Shape& shape,
                  const ConvS8Weights& weights, int8_t* packed);
int64_t DirectS8ScratchBytes(const ConvS8Kernel& kernel,
                             const ConvF32Shape& shape, int64_t x_pixel,
                             int threads);
void DirectS8(const ConvS8Kernel& kernel, const ConvS8Args& args,
              ThreadPool* pool);

}  // namespace stint
