#pragma once
// 2-D convolution with weights in two bytes on images with blocked channels,
// sums in fp32. On AMX both operands are bf16, and images may be, too;
// elsewhere the fp32 kernels run on widened weights and x is not rounded.

#include "kernels/conv_blocked_bf16/narrow.h"
#include "kernels/conv_blocked_bf16/tile_conv.h"

namespace stint {

// One of the two is set.
struct ConvBlockedBf16Kernel {
  const ConvBlockedF32Kernel* f32 = nullptr;
  const ConvTileCode* tiles = nullptr;

  bool operator==(const ConvBlockedBf16Kernel&) const = default;
};

// The default for this shape and these images on a machine of level `cap`, or
// neither where there is none: narrow images need AMX, others what
// PickConvBlockedF32 finds. `batch` and sizes of images do not matter for
// whether there is one.
ConvBlockedBf16Kernel PickConvBlockedBf16(const ConvF32Shape& shape,
                                          const ConvForms& forms, Isa cap);

int64_t ConvBlockedBf16PackedBytes(const ConvBlockedBf16Kernel& kernel,
                                   const ConvF32Shape& shape, ConvForm x);
// `w` is [out_channels, group_in, kernel_h, kernel_w].
void ConvBlockedBf16Pack(const ConvBlockedBf16Kernel& kernel,
                         const ConvF32Shape& shape, ConvForm x, const float* w,
                         uint16_t* packed, ThreadPool* pool);
int64_t ConvBlockedBf16ScratchBytes(const ConvBlockedBf16Kernel& kernel,
                                    const ConvF32Shape& shape, ConvForm x,
                                    int threads);
void ConvBlockedBf16(const ConvBlockedBf16Kernel& kernel,
                     const ConvBf16Args& args, const uint16_t* packed,
                     ThreadPool* pool);

}  // namespace stint
