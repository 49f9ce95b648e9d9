#pragma once
// Depthwise byte convolutions: each channel by its own window. Images are
// copied band by band with padding, and a row of outputs is computed for a
// chunk of channels at a time.

#include <cstdint>

#include "kernels/conv_s8/conv_s8.h"

namespace stint {

struct ConvS8Kernel;

bool DepthwiseS8Supports(const ConvF32Shape& shape);
int64_t DepthwiseS8PackedBytes(const ConvS8Kernel& kernel,
                               const ConvF32Shape& shape, int64_t x_pixel);
void DepthwiseS8Pack(const ConvS8Kernel& kernel, const ConvF32Shape& shape,
                     const ConvS8Weights& weights, int8_t* packed);
int64_t DepthwiseS8ScratchBytes(const ConvS8Kernel& kernel,
                                const ConvF32Shape& shape, int64_t x_pixel,
                                int threads);
void DepthwiseS8(const ConvS8Kernel& kernel, const ConvS8Args& args,
                 ThreadPool* pool);

}  // namespace stint
