#include "kernels/conv_blocked_bf16/conv_blocked_bf16.h"

namespace stint {

extern const ConvTileCode kConvTileCodeAmx;

ConvBlockedBf16Kernel PickConvBlockedBf16(const ConvF32Shape& shape,
                                          const ConvForms& forms, Isa cap) {
#if defined(__x86_64__)
  if (cap >= Isa::kAmx && ConvTilesSupport(shape, forms)) {
    return {nullptr, &kConvTileCodeAmx};
  }
#endif
  if (forms.AnyNarrow()) return {};
  const ImageLayout input =
      forms.x == ConvForm::kPlain ? ImageLayout::kPlain : ImageLayout::kBlocked;
  return {PickConvBlockedF32(shape, input, cap), nullptr};
}

int64_t ConvBlockedBf16PackedBytes(const ConvBlockedBf16Kernel& kernel,
                                   const ConvF32Shape& shape, ConvForm x) {
  return kernel.tiles ? ConvTilesPackedBytes(shape, x)
                      : NarrowPackedBytes(*kernel.f32, shape);
}

void ConvBlockedBf16Pack(const ConvBlockedBf16Kernel& kernel,
                         const ConvF32Shape& shape, ConvForm x, const float* w,
                         uint16_t* packed, ThreadPool* pool) {
  return kernel.tiles ? ConvTilesPack(shape, x, w, packed, pool)
                      : NarrowPack(*kernel.f32, shape, w, packed, pool);
}

int64_t ConvBlockedBf16ScratchBytes(const ConvBlockedBf16Kernel& kernel,
                                    const ConvF32Shape& shape, ConvForm x,
                                    int threads) {
  return kernel.tiles ? ConvTilesScratchBytes(shape, x, threads)
                      : NarrowScratchBytes(*kernel.f32, shape, threads);
}

void ConvBlockedBf16(const ConvBlockedBf16Kernel& kernel,
                     const ConvBf16Args& args, const uint16_t* packed,
                     ThreadPool* pool) {
  if (kernel.tiles) return ConvOnTiles(*kernel.tiles, args, packed, pool);
  ConvBlockedF32Args f32;
  f32.shape = args.shape;
  f32.x = static_cast<const float*>(args.x);
  f32.bias = args.bias;
  f32.residual = static_cast<const float*>(args.residual);
  f32.act = args.act;
  f32.y = static_cast<float*>(args.y);
  f32.scratch = static_cast<float*>(args.scratch);
  NarrowConv(*kernel.f32, f32, packed, pool);
}

}  // namespace stint
