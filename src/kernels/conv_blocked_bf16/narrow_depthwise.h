#pragma once
// Depthwise convolution of narrow images (conv_forms.h): numbers of two bytes
// in memory, fp32 in registers.

#include "kernels/conv_blocked_bf16/tile_part.h"

namespace stint {

class ThreadPool;

bool NarrowDepthwiseSupports(const ConvF32Shape& shape, const ConvForms& forms);
int64_t NarrowDepthwisePackedBytes(const ConvF32Shape& shape);
// `w` is [channels, 1, kernel_h, kernel_w].
void NarrowDepthwisePack(const ConvF32Shape& shape, const float* w,
                         uint16_t* packed);
void RunNarrowDepthwise(const ConvTileCode& code, const ConvBf16Args& args,
                        const uint16_t* packed, ThreadPool* pool);

}  // namespace stint
