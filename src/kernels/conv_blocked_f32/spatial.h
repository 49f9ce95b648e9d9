#pragma once
// Spatial pack: outputs are cut into rectangles, and what a rectangle reads is
// packed with its border and padding, so that all planes of it lie close
// together whatever the size of the image.

#include <cstdint>

#include "kernels/geometry/conv_shape.h"

namespace stint {

class ThreadPool;
struct ConvBlockedF32Args;
struct ConvBlockedF32Kernel;

int64_t SpatialScratchBytes(const ConvBlockedF32Kernel& kernel,
                            const ConvF32Shape& shape, int threads);
void SpatialConv(const ConvBlockedF32Kernel& kernel,
                 const ConvBlockedF32Args& args, ThreadPool* pool);

}  // namespace stint
