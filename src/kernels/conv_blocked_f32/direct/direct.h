#pragma once
// Convolution by register tiles on the image itself: 1x1 kernels on the image
// as one long row, others on bands of rows copied with their zero padding into
// scratch, which stays in L2 while all output blocks pass over it.

#include <cstdint>

#include "kernels/geometry/conv_shape.h"

namespace stint {

class ThreadPool;
struct ConvBlockedF32Args;
struct ConvBlockedF32Kernel;

bool PointwiseSupports(const ConvBlockedF32Kernel& kernel,
                       const ConvF32Shape& shape);
bool DirectSupports(const ConvBlockedF32Kernel& kernel,
                    const ConvF32Shape& shape);
bool FirstSupports(const ConvBlockedF32Kernel& kernel,
                   const ConvF32Shape& shape);

int64_t DirectPackedBytes(const ConvBlockedF32Kernel& kernel,
                          const ConvF32Shape& shape);
void DirectPack(const ConvBlockedF32Kernel& kernel, const ConvF32Shape& shape,
                const float* w, float* packed, ThreadPool* pool);
// One output block of one group, b of groups * blocks per group.
void DirectPackBlock(const ConvBlockedF32Kernel& kernel,
                     const ConvF32Shape& shape, int64_t b, const float* w,
                     float* packed);
// Added to the scratch where weights are narrow.
int64_t DirectPanelBytes(const ConvBlockedF32Kernel& kernel,
                         const ConvF32Shape& shape, int threads);
int64_t DirectScratchBytes(const ConvBlockedF32Kernel& kernel,
                           const ConvF32Shape& shape, int threads);
void DirectConv(const ConvBlockedF32Kernel& kernel,
                const ConvBlockedF32Args& args, ThreadPool* pool);

}  // namespace stint
