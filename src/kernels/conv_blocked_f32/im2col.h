#pragma once
// im2col: the windows of a band of pixels are written out as columns, which are
// then multiplied as a 1x1 convolution. Reads are regular whatever the stride
// and dilation; pixels are copied once per tap.

#include <cstdint>

#include "kernels/geometry/conv_shape.h"

namespace stint {

class ThreadPool;
struct ConvBlockedF32Args;
struct ConvBlockedF32Kernel;

int64_t Im2colScratchBytes(const ConvBlockedF32Kernel& kernel,
                           const ConvF32Shape& shape, int threads);
void Im2colConv(const ConvBlockedF32Kernel& kernel,
                const ConvBlockedF32Args& args, ThreadPool* pool);

}  // namespace stint
