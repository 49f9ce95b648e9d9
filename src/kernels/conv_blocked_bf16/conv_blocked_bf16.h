#pragma once
// 2-D convolution with weights in two bytes on channel-blocked fp32 images (see
// conv_blocked_f32.h), sums in fp32. On AMX both operands are bf16; elsewhere
// the fp32 kernels run on widened weights and x is not rounded.

#include "kernels/conv_blocked_bf16/narrow.h"
#include "kernels/conv_blocked_bf16/tile_conv.h"

namespace stint {

// One of the two is set.
struct ConvBlockedBf16Kernel {
  const ConvBlockedF32Kernel* f32 = nullptr;
  const ConvTileCode* tiles = nullptr;

  bool operator==(const ConvBlockedBf16Kernel&) const = default;
};

// The default for this shape and layout of x on a machine of level `cap`, or
// neither where PickConvBlockedF32 finds none.
ConvBlockedBf16Kernel PickConvBlockedBf16(const ConvF32Shape& shape,
                                          ImageLayout input, Isa cap);

int64_t ConvBlockedBf16PackedBytes(const ConvBlockedBf16Kernel& kernel,
                                   const ConvF32Shape& shape);
// `w` is [out_channels, group_in, kernel_h, kernel_w].
void ConvBlockedBf16Pack(const ConvBlockedBf16Kernel& kernel,
                         const ConvF32Shape& shape, const float* w,
                         uint16_t* packed, ThreadPool* pool);
int64_t ConvBlockedBf16ScratchBytes(const ConvBlockedBf16Kernel& kernel,
                                    const ConvF32Shape& shape, int threads);
// `packed` in place of args.w; args.scratch as stated by the function above.
void ConvBlockedBf16(const ConvBlockedBf16Kernel& kernel,
                     const ConvBlockedF32Args& args, const uint16_t* packed,
                     ThreadPool* pool);

}  // namespace stint
