#pragma once
// 2-D convolution with weights in two bytes on images with blocked channels,
// sums in fp32. On AMX and on CPUs with fast dot products of bf16 both operands
// are bf16, and images may be, too; elsewhere, and where they are as fast, the
// fp32 kernels run on widened weights and x is not rounded.

#include "kernels/conv_blocked_bf16/narrow.h"
#include "kernels/conv_blocked_bf16/tile_conv.h"

namespace stint {

// One of the two is set.
struct ConvBlockedBf16Kernel {
  const ConvBlockedF32Kernel* f32 = nullptr;
  const ConvTileCode* tiles = nullptr;

  bool operator==(const ConvBlockedBf16Kernel&) const = default;
};

// Whether the fp32 kernels are at least as fast as products of bf16 on a
// machine of level `cap`, so that images are better left wide. Never on AMX.
// Vectors of bf16 do twice the work of fp32: they lose to Winograd's algorithm,
// and where padding to 32 values of k and 32 outputs makes twice the work
// (conv_blocked_bf16_bench on Zen 4, time in fp32 over bf16: 64 channels of
// 56x56 0.57, 128 of 28x28 0.63, 256 of 14x14 1.0, 512 of 7x7 1.9; a stem of
// 3x3x3 0.5).
bool ConvPrefersF32(const ConvF32Shape& shape, ConvForm x, Isa cap);

// The default for this shape and these images on a machine of level `cap`, or
// neither where there is none: narrow images need products of bf16, others what
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
