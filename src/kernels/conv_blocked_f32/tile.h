#pragma once
// The convolution register tile, one source for every vector width V: kPixels
// pixels by kBlocks output blocks stay in registers while the window and the
// input channels run.

#include "kernels/conv_blocked_f32/tiles.h"
#include "kernels/simd/curves.h"

namespace stint {

// kStep is x_pixel, or 0 where it is known only at run time.
template <class V, int kBlock, int kPixels, int kBlocks, int kStep>
struct ConvTile {
  using F = typename V::F;
  static constexpr int kWidth = V::kWidth;
  static constexpr int kPer = kBlock / kWidth;  // vectors per block
  static constexpr int kVecs = kBlocks * kPer;
  F acc[kPixels][kVecs];
  // The next cache line to fetch into L2, one per step: of t.far, or else of
  // the pixels of each plane two tiles on.
  const float* far;
  bool fetch_pixels;

  static STINT_INLINE int64_t At(int v, int64_t block_stride) {
    return v / kPer * block_stride + v % kPer * kWidth;
  }

  // `count` steps of c; w moves on behind them.
  STINT_INLINE void Multiply(const ConvTiles& t, const float* x, const float* w,
                             int64_t count) {
    const int64_t step = kStep ? kStep : t.x_pixel;
    for (int64_t c = 0; c < count; ++c, w += kBlock, ++x) {
      // Keeps the compiler from carrying pixels from step to step in registers
      // that the sums need.
      asm("" : "+r"(x));
      __builtin_prefetch(far, 0, 2);
      far += kConvFarFloats;
      F row[kVecs];
#pragma GCC unroll 8
      for (int v = 0; v < kVecs; ++v) row[v] = V::Load(w + At(v, t.w_block));
#pragma GCC unroll 32
      for (int p = 0; p < kPixels; ++p) {
        const F value = V::Set1(x[p * step]);
#pragma GCC unroll 8
        for (int v = 0; v < kVecs; ++v) {
          acc[p][v] = V::Fma(value, row[v], acc[p][v]);
        }
      }
    }
  }

  STINT_INLINE void Sum(const ConvTiles& t, const float* x) {
#pragma GCC unroll 32
    for (int p = 0; p < kPixels; ++p) {
#pragma GCC unroll 8
      for (int v = 0; v < kVecs; ++v) acc[p][v] = V::Set1(0);
    }
    const float* w = t.w;
    for (int64_t i = 0; i < t.count[0]; ++i) {
      const int64_t inner = i + 1 < t.count[0] ? t.inner : t.inner_last;
      if (fetch_pixels) far = x + i * t.x_step[0] + 2 * kPixels * kBlock;
      for (int64_t r = 0; r < t.count[1]; ++r) {
        const float* row = x + i * t.x_step[0] + r * t.x_step[1];
        for (int64_t q = 0; q < t.count[2]; ++q) {
          Multiply(t, row, w, inner);
          row += t.x_step[2];
          w += inner * kBlock;
        }
      }
    }
  }

  // acc = change(acc, offset of the vector in y, number of the vector).
  template <class Change>
  STINT_INLINE void ForEach(const ConvTiles& t, int64_t pixel, Change change) {
#pragma GCC unroll 32
    for (int p = 0; p < kPixels; ++p) {
#pragma GCC unroll 8
      for (int v = 0; v < kVecs; ++v) {
        const int64_t at = (pixel + p) * kBlock + At(v, t.y_block);
        acc[p][v] = change(acc[p][v], at, v);
      }
    }
  }

  STINT_INLINE void Finish(const ConvTiles& t, int64_t pixel) {
    if (t.bias) {
      ForEach(t, pixel, [&](F sum, int64_t, int v) STINT_LAMBDA {
        return sum + V::Load(t.bias + v * kWidth);
      });
    }
    if (t.residual) {
      ForEach(t, pixel, [&](F sum, int64_t at, int) STINT_LAMBDA {
        return sum + V::Load(t.residual + at);
      });
    }
    ForEach(t, pixel, [&](F sum, int64_t, int) STINT_LAMBDA {
      return Clamp<V>(sum, t.act.lo, t.act.hi);
    });
  }

  STINT_INLINE void Store(const ConvTiles& t, int64_t pixel) {
    if (t.accumulate) {
      ForEach(t, pixel, [&](F sum, int64_t at, int) STINT_LAMBDA {
        return sum + V::Load(t.y + at);
      });
    }
    if (t.finish) Finish(t, pixel);
    ForEach(t, pixel, [&](F sum, int64_t at, int) STINT_LAMBDA {
      V::Store(t.y + at, sum);
      return sum;
    });
  }
};

template <class V, int kBlock, int kPixels, int kBlocks, int kStep>
__attribute__((noinline)) void RunConvTile(const ConvTiles& t, int64_t pixel) {
  ConvTile<V, kBlock, kPixels, kBlocks, kStep> tile;
  const int64_t fetched = pixel / kPixels * t.steps;
  tile.fetch_pixels = fetched >= t.far_lines;
  tile.far = tile.fetch_pixels ? t.w : t.far + fetched * kConvFarFloats;
  tile.Sum(t, t.x + pixel * (kStep ? kStep : t.x_pixel));
  tile.Store(t, pixel);
  if (t.finish && t.act.curve != Curve::kNone) {
    ApplyCurveRows<V>(t.act.curve, {t.y + pixel * kBlock, t.y_block, kBlocks,
                                    kPixels * kBlock});
  }
}

using RunConvTileFn = void (*)(const ConvTiles& t, int64_t pixel);

// The tile of `pixels` <= kPixels.
template <class V, int kBlock, int kPixels, int kBlocks, int kStep>
RunConvTileFn FindConvTile(int64_t pixels) {
  if constexpr (kPixels > 1) {
    if (pixels < kPixels) {
      return FindConvTile<V, kBlock, kPixels - 1, kBlocks, kStep>(pixels);
    }
  }
  return RunConvTile<V, kBlock, kPixels, kBlocks, kStep>;
}

template <class V, int kBlock, int kPixels, int kBlocks, int kStep>
void RunConvRow(const ConvTiles& t) {
  const int64_t tile = t.tile < kPixels ? t.tile : kPixels;
  const auto run = FindConvTile<V, kBlock, kPixels, kBlocks, kStep>(tile);
  int64_t p = 0;
  for (; p + tile <= t.pixels; p += tile) run(t, p);
  if (p < t.pixels) {
    FindConvTile<V, kBlock, kPixels, kBlocks, kStep>(t.pixels - p)(t, p);
  }
}

// Steps of one and two pixels of a blocked image, and of a plain one with up to
// two blocks, have their own code; others are rare.
template <class V, int kBlock, int kPixels, int kBlocks>
void RunConvRowOfStep(const ConvTiles& t) {
  if (t.x_pixel == kBlock) {
    return RunConvRow<V, kBlock, kPixels, kBlocks, kBlock>(t);
  }
  if (t.x_pixel == 2 * kBlock) {
    return RunConvRow<V, kBlock, kPixels, kBlocks, 2 * kBlock>(t);
  }
  if constexpr (kBlocks <= 2) {
    if (t.x_pixel == 1) return RunConvRow<V, kBlock, kPixels, kBlocks, 1>(t);
    if (t.x_pixel == 2) return RunConvRow<V, kBlock, kPixels, kBlocks, 2>(t);
  }
  return RunConvRow<V, kBlock, 4, kBlocks, 0>(t);
}

}  // namespace stint
