#pragma once
// Implicit GEMM on a zero-padded flat image: the image is copied once with its
// padding, and rows of outputs are computed as one long row, since pixel f of
// it reads f + r * width + q for tap (r, q). The few pixels between rows are
// computed for nothing. Stride 1.

#include <cstdint>

#include "kernels/geometry/conv_shape.h"

namespace stint {

class ThreadPool;
struct ConvBlockedF32Args;
struct ConvBlockedF32Kernel;

bool ImplicitSupports(const ConvBlockedF32Kernel& kernel,
                      const ConvF32Shape& shape);
int64_t ImplicitScratchBytes(const ConvBlockedF32Kernel& kernel,
                             const ConvF32Shape& shape, int threads);
void ImplicitConv(const ConvBlockedF32Kernel& kernel,
                  const ConvBlockedF32Args& args, ThreadPool* pool);

}  // namespace stint
