#include "kernels/conv_blocked_bf16/conv_blocked_bf16.h"

namespace stint {

extern const ConvTileCode kConvTileCodeAmx;
extern const ConvTileCode kConvTileCodeDot;

namespace {

ImageLayout LayoutOf(ConvForm x) {
  return x == ConvForm::kPlain ? ImageLayout::kPlain : ImageLayout::kBlocked;
}

// Pixels from which tiles of 4x4 leave little of Winograd's work unused.
constexpr int64_t kWinogradPixels = 16 * 16;

}  // namespace

bool ConvPrefersF32(const ConvF32Shape& s, ConvForm x, Isa cap) {
  if (cap != Isa::kBf16 || s.groups > 1 || !ConvTilesSupport(s, {x})) {
    return false;
  }
  const int64_t tiles = ConvTilesPackedBytes(s, x) / 2;  // multiplications
  const int64_t vectors = s.in_channels * s.taps() * s.out_channels;
  if (tiles >= 2 * vectors) return true;
  const ConvBlockedF32Kernel* f32 = PickConvBlockedF32(s, LayoutOf(x), cap);
  return f32 != nullptr && f32->winograd && s.out_plane() > kWinogradPixels;
}

ConvBlockedBf16Kernel PickConvBlockedBf16(const ConvF32Shape& shape,
                                          const ConvForms& forms, Isa cap) {
#if defined(__x86_64__)
  const bool wide = !forms.AnyNarrow() && ConvPrefersF32(shape, forms.x, cap);
  if (cap >= Isa::kBf16 && !wide && ConvTilesSupport(shape, forms)) {
    return {nullptr, cap >= Isa::kAmx ? &kConvTileCodeAmx : &kConvTileCodeDot};
  }
#endif
  if (forms.AnyNarrow()) return {};
  return {PickConvBlockedF32(shape, LayoutOf(forms.x), cap), nullptr};
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
