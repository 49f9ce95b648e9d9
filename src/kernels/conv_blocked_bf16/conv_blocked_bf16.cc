#include "kernels/conv_blocked_bf16/conv_blocked_bf16.h"

namespace stint {

extern const ConvTileCode kConvTileCodeAmx;

ConvBlockedBf16Kernel PickConvBlockedBf16(const ConvF32Shape& shape,
                                          ImageLayout input, Isa cap) {
#if defined(__x86_64__)
  if (cap >= Isa::kAmx && input == ImageLayout::kBlocked &&
      ConvTilesSupport(shape)) {
    return {nullptr, &kConvTileCodeAmx};
  }
#endif
  return {PickConvBlockedF32(shape, input, cap), nullptr};
}

int64_t ConvBlockedBf16PackedBytes(const ConvBlockedBf16Kernel& kernel,
                                   const ConvF32Shape& shape) {
  return kernel.tiles ? ConvTilesPackedBytes(shape)
                      : NarrowPackedBytes(*kernel.f32, shape);
}

void ConvBlockedBf16Pack(const ConvBlockedBf16Kernel& kernel,
                         const ConvF32Shape& shape, const float* w,
                         uint16_t* packed, ThreadPool* pool) {
  return kernel.tiles ? ConvTilesPack(shape, w, packed, pool)
                      : NarrowPack(*kernel.f32, shape, w, packed, pool);
}

int64_t ConvBlockedBf16ScratchBytes(const ConvBlockedBf16Kernel& kernel,
                                    const ConvF32Shape& shape, int threads) {
  return kernel.tiles ? ConvTilesScratchBytes(shape)
                      : NarrowScratchBytes(*kernel.f32, shape, threads);
}

void ConvBlockedBf16(const ConvBlockedBf16Kernel& kernel,
                     const ConvBlockedF32Args& args, const uint16_t* packed,
                     ThreadPool* pool) {
  return kernel.tiles ? ConvOnTiles(*kernel.tiles, args, packed, pool)
                      : NarrowConv(*kernel.f32, args, packed, pool);
}

}  // namespace stint
