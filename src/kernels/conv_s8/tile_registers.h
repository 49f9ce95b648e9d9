#pragma once
// Direct byte convolutions on AMX tile registers, one source for the
// instructions and their emulation (class Tiles), with vectors S as in
// finish.h. Weights are those of the vector tiles (tiles.h): 16 steps of 4
// bytes by 16 channels of a panel are a tile whose rows are a step apart.

#include <algorithm>

#include "core/base/checked_math.h"
#include "kernels/conv_s8/finish.h"
#include "kernels/simd/tile_product.h"

namespace stint {

inline constexpr int64_t kConvTileWidth = 16;  // channels per tile

// Neighboring pixels of a row, up to 16 each and all of the same size: the last
// of a row begins earlier where it would leave it.
struct ConvS8Units {
  explicit ConvS8Units(const ConvS8Tiles& t)
      : cols(t.x_row == t.cols * t.x_pixel ? t.pixels : t.cols),
        per_row(CeilDiv(cols, kTileRows)),
        tile(CeilDiv(cols, per_row)),
        count(t.pixels / cols * per_row) {}

  int64_t Column(int64_t unit) const {
    return std::min(unit % per_row * tile, cols - tile);
  }
  // Pixels at its beginning that belong to the unit before.
  int64_t Skip(int64_t unit) const {
    return unit % per_row * tile - Column(unit);
  }
  int64_t cols;
  int64_t per_row;
  int64_t tile;
  int64_t count;
};

// Sums of 2 row tiles by up to 4 column tiles: [row tile][column tile].
struct alignas(64) ConvS8TileSums {
  int32_t tile[2][4][kTileRows][kConvTileWidth];
};

// Two column tiles from `col` on of one or two row tiles. A cache line of
// `far` is fetched into L2 at each step.
template <class Tiles, int kRowTiles, int kColTiles>
__attribute__((noinline)) void MultiplyConvS8Tiles(const ConvS8Tiles& t,
                                                   const uint8_t* const (&a)[2],
                                                   int64_t col,
                                                   const int8_t* far,
                                                   ConvS8TileSums* sums) {
  const int64_t stride = t.vecs * kTileRowBytes;
  const int32_t* bias = t.bias + col * kConvTileWidth;
  Tiles::template Load<0>(bias, 0);
  if (kColTiles == 2) Tiles::template Load<1>(bias + kConvTileWidth, 0);
  if (kRowTiles == 2) Tiles::template Load<2>(bias, 0);
  if (kRowTiles == 2 && kColTiles == 2) {
    Tiles::template Load<3>(bias + kConvTileWidth, 0);
  }
  const int8_t* w = t.w + col * kTileRowBytes;
  for (int64_t i = 0; i < t.count[0]; ++i) {
    for (int64_t j = 0; j < t.count[1]; ++j) {
      int64_t at = i * t.x_step[0] + j * t.x_step[1];
      const int64_t end = at + 4 * t.groups;
      for (; at < end; at += kTileRowBytes, w += kTileRows * stride) {
        __builtin_prefetch(far, 0, 2);
        far += 64;
        Tiles::template Load<6>(w, stride);
        Tiles::template Load<4>(a[0] + at, t.x_pixel);
        Tiles::template DotU8S8<0, 4, 6>();
        if constexpr (kColTiles == 2) {
          Tiles::template Load<7>(w + kTileRowBytes, stride);
          Tiles::template DotU8S8<1, 4, 7>();
        }
        if constexpr (kRowTiles == 2) {
          Tiles::template Load<5>(a[1] + at, t.x_pixel);
          Tiles::template DotU8S8<2, 5, 6>();
          if constexpr (kColTiles == 2) {
            Tiles::template DotU8S8<3, 5, 7>();
          }
        }
      }
    }
  }
  Tiles::template Store<0>(sums->tile[0][col], kTileRowBytes);
  if (kColTiles == 2) {
    Tiles::template Store<1>(sums->tile[0][col + 1], kTileRowBytes);
  }
  if (kRowTiles == 2) {
    Tiles::template Store<2>(sums->tile[1][col], kTileRowBytes);
  }
  if (kRowTiles == 2 && kColTiles == 2) {
    Tiles::template Store<3>(sums->tile[1][col + 1], kTileRowBytes);
  }
}

// kPixels pixels of kTiles column tiles, from row `row` of each.
template <class S, int kPixels, int kTiles>
STINT_INLINE void FinishConvS8Rows(
    const ConvS8Store& store, int64_t pixel,
    const int32_t (*tiles)[kTileRows][kConvTileWidth], int64_t row) {
  constexpr int kPer = kConvTileWidth / S::kWidth;
  typename S::I sums[kPixels][kTiles * kPer];
#pragma GCC unroll 4
  for (int i = 0; i < kPixels; ++i) {
#pragma GCC unroll 4
    for (int v = 0; v < kTiles * kPer; ++v) {
      sums[i][v] = S::LoadSums(tiles[v / kPer][row + i] + v % kPer * S::kWidth);
    }
  }
  FinishPixels<S, LaneOrder::kChannels>(store, pixel, sums);
}

// A row tile from row `skip` on, which is pixel `first`.
template <class S, int kTiles>
void FinishConvS8Tile(const ConvS8Store& store, int64_t first, int64_t skip,
                      int64_t end,
                      const int32_t (*tiles)[kTileRows][kConvTileWidth]) {
  int64_t row = skip;
  for (; row + 4 <= end; row += 4, first += 4) {
    FinishConvS8Rows<S, 4, kTiles>(store, first, tiles, row);
  }
  for (; row < end; ++row, ++first) {
    FinishConvS8Rows<S, 1, kTiles>(store, first, tiles, row);
  }
}

// Vectors as wide as a tile take all column tiles at once: whole cache lines.
template <class S>
void FinishConvS8Unit(const ConvS8Tiles& t, int64_t first, int64_t skip,
                      int64_t end,
                      const int32_t (*tiles)[kTileRows][kConvTileWidth]) {
  if constexpr (S::kWidth == kConvTileWidth) {
    switch (t.vecs) {
      case 1:
        return FinishConvS8Tile<S, 1>(t.store, first, skip, end, tiles);
      case 2:
        return FinishConvS8Tile<S, 2>(t.store, first, skip, end, tiles);
      case 3:
        return FinishConvS8Tile<S, 3>(t.store, first, skip, end, tiles);
      default:
        return FinishConvS8Tile<S, 4>(t.store, first, skip, end, tiles);
    }
  }
  ConvS8Store store = t.store;
  for (int64_t c = 0; c < t.vecs && store.channels > 0; ++c) {
    FinishConvS8Tile<S, 1>(store, first, skip, end, tiles + c);
    store.multiplier += kConvTileWidth;
    store.channels -= kConvTileWidth;
    store.y += kConvTileWidth;
    if (store.residual) store.residual += kConvTileWidth;
  }
}

template <class Tiles>
void MultiplyConvS8Pair(const ConvS8Tiles& t, const uint8_t* const (&a)[2],
                        int64_t rows, const int8_t* far, ConvS8TileSums* sums) {
  const int64_t line = t.count[0] * t.count[1] * t.groups * 4;
  for (int64_t col = 0; col < t.vecs; col += 2, far += line) {
    const bool two = col + 1 < t.vecs;
    if (rows == 2) {
      two ? MultiplyConvS8Tiles<Tiles, 2, 2>(t, a, col, far, sums)
          : MultiplyConvS8Tiles<Tiles, 2, 1>(t, a, col, far, sums);
    } else {
      two ? MultiplyConvS8Tiles<Tiles, 1, 2>(t, a, col, far, sums)
          : MultiplyConvS8Tiles<Tiles, 1, 1>(t, a, col, far, sums);
    }
  }
}

template <class Tiles, class S>
void RunConvS8TileRegisters(const ConvS8Tiles& t) {
  const ConvS8Units units(t);
  TileShape shape;
  ShapeTiles<Tiles>(static_cast<int>(units.tile), &shape);
  ConvS8TileSums sums;
  // Of the next panel, a line per step.
  const int64_t lines =
      t.count[0] * t.count[1] * t.groups * 4 * CeilDiv(t.vecs, 2);
  const int8_t* far = t.w_next != nullptr ? t.w_next : t.w;
  const int8_t* far_end = far + t.w_next_bytes;
  for (int64_t u = 0; u < units.count; u += 2) {
    const int64_t rows = std::min<int64_t>(2, units.count - u);
    const uint8_t* a[2];
    for (int64_t r = 0; r < 2; ++r) {
      const int64_t unit = u + std::min(r, rows - 1);
      a[r] =
          t.x + unit / units.per_row * t.x_row + units.Column(unit) * t.x_pixel;
    }
    MultiplyConvS8Pair<Tiles>(t, a, rows, far, &sums);
    far = far + lines < far_end ? far + lines : t.w;
    for (int64_t r = 0; r < rows; ++r) {
      const int64_t row = (u + r) / units.per_row * units.cols;
      const int64_t skip = units.Skip(u + r);
      FinishConvS8Unit<S>(t, row + units.Column(u + r) + skip, skip, units.tile,
                          sums.tile[r]);
    }
  }
  ReleaseTiles<Tiles>(&shape);
}

}  // namespace stint
