#pragma once
// The fp32 kernels of conv_blocked_f32 on weights of two bytes, which are
// widened a pass at a time: bf16, or for Winograd the transforms of bf16
// weights in fp16, whose three more bits make up for what the transforms lose:
// the error of m = 4 is less than twice that of rounding the weights alone.

#include "kernels/conv_blocked_f32/conv_blocked_f32_table.h"

namespace stint {

// The rows that PickConvBlockedF32 chooses from; those that gather pixels
// first read fp32 weights only.
bool TakesNarrowWeights(const ConvBlockedF32Kernel& kernel);

int64_t NarrowPackedBytes(const ConvBlockedF32Kernel& kernel,
                          const ConvF32Shape& shape);
// `w` is [out_channels, group_in, kernel_h, kernel_w]. Needs no more memory
// than an output block's weights in fp32.
void NarrowPack(const ConvBlockedF32Kernel& kernel, const ConvF32Shape& shape,
                const float* w, uint16_t* packed, ThreadPool* pool);
int64_t NarrowScratchBytes(const ConvBlockedF32Kernel& kernel,
                           const ConvF32Shape& shape, int threads);
// `packed` in place of args.w.
void NarrowConv(const ConvBlockedF32Kernel& kernel, ConvBlockedF32Args args,
                const uint16_t* packed, ThreadPool* pool);

}  // namespace stint
