#pragma once
// From sums that left the tile registers to pixels of an image, one source for
// every vector width V.

#include "kernels/conv_blocked_bf16/tile_part.h"
#include "kernels/simd/amx_tiles.h"
#include "kernels/simd/bf16.h"
#include "kernels/simd/curves.h"

namespace stint {

// Where a pixel of an output block stands in an image of `pixels` pixels.
template <ConvForm kForm>
STINT_INLINE int64_t ConvPixelAt(int64_t pixels, int64_t block, int64_t pixel) {
  if constexpr (kForm == ConvForm::kNarrow) {
    return (block / 2 * pixels + pixel) * kNarrowBlock +
           block % 2 * kConvTileBlock;
  } else {
    return (block * pixels + pixel) * kConvTileBlock;
  }
}

template <class V, ConvForm kForm>
STINT_INLINE typename V::F LoadConvPixel(const void* image, int64_t at) {
  if constexpr (kForm == ConvForm::kNarrow) {
    return Bf16<V>::Widen(static_cast<const uint16_t*>(image) + at);
  } else {
    return V::Load(static_cast<const float*>(image) + at);
  }
}

// The pixels of one row tile.
struct ConvTilePixels {
  int64_t first;  // in the image
  int64_t skip;   // rows of the tile before it
  int64_t count;
};

// One or two output blocks of a row tile, from `block` on. kResidual says how
// the residual lies where there is one; a narrow y has kBlocks = 2.
template <class V, ConvForm kY, ConvForm kResidual, bool kHasResidual,
          int kBlocks>
struct ConvFinisher {
  using F = typename V::F;
  using Tile = float[kTileRows][kConvTileBlock];
  static constexpr int kPer = kConvTileBlock / V::kWidth;
  static constexpr int kVecs = kBlocks * kPer;

  const ConvTilePart& part;
  const ConvTilePixels& pixels;
  int64_t block;
  Tile* tiles;

  // Into the vectors of pixel i.
  STINT_INLINE void LoadSums(int64_t i, F (&x)[kVecs]) const {
#pragma GCC unroll 8
    for (int v = 0; v < kVecs; ++v) {
      x[v] = V::Load(tiles[v / kPer][pixels.skip + i] + v % kPer * V::kWidth);
    }
  }
  STINT_INLINE void AddResidual(int64_t i, F (&x)[kVecs]) const {
#pragma GCC unroll 8
    for (int v = 0; v < kVecs; ++v) {
      // Half of a narrow block may be more than a blocked residual has.
      if (kY != kResidual && block + v / kPer >= part.residual_blocks) break;
      const int64_t at = ConvPixelAt<kResidual>(part.pixels, block + v / kPer,
                                                pixels.first + i);
      x[v] = x[v] + LoadConvPixel<V, kResidual>(part.residual,
                                                at + v % kPer * V::kWidth);
    }
  }
  STINT_INLINE void Store(int64_t i, const F (&x)[kVecs]) const {
    const int64_t at = ConvPixelAt<kY>(part.pixels, block, pixels.first + i);
    if constexpr (kY == ConvForm::kNarrow) {
      auto* y = static_cast<uint16_t*>(part.y) + at;
#pragma GCC unroll 4
      for (int v = 0; v < kVecs; v += 2) {
        Bf16<V>::StoreTwo(y + v * V::kWidth, x[v], x[v + 1]);
      }
    } else {
      auto* y = static_cast<float*>(part.y) + at;
#pragma GCC unroll 8
      for (int v = 0; v < kVecs; ++v) {
        V::Store(
            y + v / kPer * part.pixels * kConvTileBlock + v % kPer * V::kWidth,
            x[v]);
      }
    }
  }

  // Sums, bias, residual and clamp; `store` gets each pixel.
  template <class StoreFn>
  STINT_INLINE void Finish(StoreFn store) const {
    F bias[kVecs];
#pragma GCC unroll 8
    for (int v = 0; v < kVecs; ++v) {
      bias[v] =
          part.bias
              ? V::Load(part.bias + block * kConvTileBlock + v * V::kWidth)
              : V::Set1(0);
    }
    const F lo = V::Set1(part.act.lo);
    const F hi = V::Set1(part.act.hi);
    for (int64_t i = 0; i < pixels.count; ++i) {
      F x[kVecs];
      LoadSums(i, x);
#pragma GCC unroll 8
      for (int v = 0; v < kVecs; ++v) x[v] = x[v] + bias[v];
      if constexpr (kHasResidual) AddResidual(i, x);
#pragma GCC unroll 8
      for (int v = 0; v < kVecs; ++v) x[v] = V::Min(hi, V::Max(lo, x[v]));
      store(i, x);
    }
  }

  // A curve is applied where the sums lie: in registers it would spill.
  void FinishCurve() const {
    Finish([&](int64_t i, const F(&x)[kVecs]) STINT_LAMBDA {
      for (int v = 0; v < kVecs; ++v) {
        V::Store(tiles[v / kPer][pixels.skip + i] + v % kPer * V::kWidth, x[v]);
      }
    });
    ApplyCurveRows<V>(part.act.curve,
                      {tiles[0][pixels.skip], kTileRows * kConvTileBlock,
                       kBlocks, pixels.count * kConvTileBlock});
    for (int64_t i = 0; i < pixels.count; ++i) {
      F x[kVecs];
      LoadSums(i, x);
      Store(i, x);
    }
  }

  static void Run(const ConvTilePart& part, const ConvTilePixels& pixels,
                  int64_t block, Tile* tiles) {
    const ConvFinisher finisher{part, pixels, block, tiles};
    if (part.act.curve != Curve::kNone) return finisher.FinishCurve();
    finisher.Finish([&](int64_t i, const F(&x)[kVecs])
                        STINT_LAMBDA { finisher.Store(i, x); });
  }
};

using FinishConvFn = void (*)(const ConvTilePart& part,
                              const ConvTilePixels& pixels, int64_t block,
                              float (*tiles)[kTileRows][kConvTileBlock]);

template <class V, ConvForm kY, int kBlocks>
FinishConvFn FindConvFinishFor(const ConvTilePart& part) {
  if (part.residual == nullptr) {
    return ConvFinisher<V, kY, ConvForm::kBlocked, false, kBlocks>::Run;
  }
  return part.forms.residual == ConvForm::kNarrow
             ? ConvFinisher<V, kY, ConvForm::kNarrow, true, kBlocks>::Run
             : ConvFinisher<V, kY, ConvForm::kBlocked, true, kBlocks>::Run;
}

template <class V>
FinishConvFn FindConvFinish(const ConvTilePart& part, int64_t blocks) {
  if (part.forms.y == ConvForm::kNarrow) {
    return FindConvFinishFor<V, ConvForm::kNarrow, 2>(part);
  }
  return blocks == 2 ? FindConvFinishFor<V, ConvForm::kBlocked, 2>(part)
                     : FindConvFinishFor<V, ConvForm::kBlocked, 1>(part);
}

}  // namespace stint
