#pragma once
// The register tile of direct byte convolutions, one source for every
// instruction set S: kPixels pixels by kVecs vectors of int32 sums stay in
// registers while the window runs.

#include "kernels/conv_s8/finish.h"

namespace stint {

// Bytes of weights fetched ahead into L1.
inline constexpr int64_t kConvS8PrefetchBytes = 2048;

template <class S, int kPixels, int kVecs>
struct ConvS8Sums {
  using I = typename S::I;
  static constexpr int64_t kStep = kVecs * S::kWidth * 4;
  I sums[kPixels][kVecs];

  STINT_INLINE void Begin(const int32_t* bias) {
#pragma GCC unroll 4
    for (int v = 0; v < kVecs; ++v) {
      const I first = S::LoadSums(bias + v * S::kWidth);
#pragma GCC unroll 8
      for (int i = 0; i < kPixels; ++i) sums[i][v] = first;
    }
  }

  STINT_INLINE void Step(const uint8_t* const (&x)[kPixels], int64_t at,
                         const int8_t* w) {
    typename S::B row[kVecs];
#pragma GCC unroll 4
    for (int v = 0; v < kVecs; ++v) row[v] = S::LoadB(w + v * S::kWidth * 4);
#pragma GCC unroll 8
    for (int i = 0; i < kPixels; ++i) {
      const typename S::A four = S::Broadcast(x[i] + at);
#pragma GCC unroll 4
      for (int v = 0; v < kVecs; ++v) {
        sums[i][v] = S::Dot(sums[i][v], four, row[v]);
      }
    }
  }

  // With kFar, a cache line of `far` is fetched into L2 at each step.
  template <bool kFar>
  STINT_INLINE void Multiply(const ConvS8Tiles& t,
                             const uint8_t* const (&x)[kPixels],
                             const int8_t* far) {
    const int8_t* w = t.w;
    for (int64_t i = 0; i < t.count[0]; ++i) {
      for (int64_t j = 0; j < t.count[1]; ++j) {
        int64_t at = i * t.x_step[0] + j * t.x_step[1];
        const int64_t end = at + 4 * t.groups;
        for (; at < end; at += 4, w += kStep) {
          if (kFar) {
            __builtin_prefetch(far, 0, 2);
            far += 64;
          }
#pragma GCC unroll 4
          for (int64_t line = 0; line < kStep; line += 64) {
            __builtin_prefetch(w + kConvS8PrefetchBytes + line);
          }
          Step(x, at, w);
        }
      }
    }
  }
};

// Pixel `first` of `t`, at column `col` of the row that begins at `row`, and
// those after it.
struct ConvS8Cursor {
  const uint8_t* row;
  int64_t col;
};

template <class S, int kPixels, int kVecs>
__attribute__((noinline)) void RunConvS8Tile(const ConvS8Tiles& t,
                                             int64_t first, const int8_t* far,
                                             ConvS8Cursor* cursor) {
  const uint8_t* x[kPixels];
#pragma GCC unroll 8
  for (int i = 0; i < kPixels; ++i) {
    x[i] = cursor->row + cursor->col * t.x_pixel;
    if (++cursor->col == t.cols) {
      cursor->col = 0;
      cursor->row += t.x_row;
    }
  }
  ConvS8Sums<S, kPixels, kVecs> tile;
  tile.Begin(t.bias);
  if (far != nullptr) {
    tile.template Multiply<true>(t, x, far);
  } else {
    tile.template Multiply<false>(t, x, t.w);
  }
  FinishPixels<S, LaneOrder::kChannels>(t.store, first, tile.sums);
}

// A tile of `pixels` <= kPixels.
template <class S, int kPixels, int kVecs>
STINT_INLINE void RunConvS8Pixels(const ConvS8Tiles& t, int64_t first,
                                  int64_t pixels, const int8_t* far,
                                  ConvS8Cursor* cursor) {
  if (pixels == kPixels) {
    return RunConvS8Tile<S, kPixels, kVecs>(t, first, far, cursor);
  }
  if constexpr (kPixels > 1) {
    RunConvS8Pixels<S, kPixels - 1, kVecs>(t, first, pixels, far, cursor);
  }
}

// All pixels, in tiles of nearly equal size: a last one of a single pixel would
// wait for its own sums.
template <class S, int kPixels, int kVecs>
void RunConvS8Tiles(const ConvS8Tiles& t) {
  const int64_t tiles = (t.pixels + kPixels - 1) / kPixels;
  const int64_t lines = t.count[0] * t.count[1] * t.groups * 64;
  ConvS8Cursor cursor{t.x, 0};
  for (int64_t i = 0; i < tiles; ++i) {
    const int64_t first = t.pixels * i / tiles;
    const int64_t end = t.pixels * (i + 1) / tiles;
    const bool fetch = t.w_next != nullptr && i * lines < t.w_next_bytes;
    RunConvS8Pixels<S, kPixels, kVecs>(
        t, first, end - first, fetch ? t.w_next + i * lines : nullptr, &cursor);
  }
}

}  // namespace stint
