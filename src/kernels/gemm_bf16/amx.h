#pragma once
// The bf16 GEMM on tiles: both operands are bf16, 32 x 32 of C are summed in
// four AMX registers, or in as many steps as vector registers need. One source
// for both and for the emulation of the first (class Tiles).
// A is rounded into contiguous tiles of [16 rows][32]; B: pack_tiles.h.

#include <algorithm>
#include <cstring>

#include "core/base/checked_math.h"
#include "kernels/gemm_bf16/bf16_tiles.h"
#include "kernels/gemm_bf16/gemm_bf16_table.h"
#include "kernels/gemm_f32/tile.h"
#include "kernels/simd/bf16.h"
#include "kernels/simd/tile_product.h"

namespace stint {

// One row of up to 32 values; those past `count` become 0.
template <class V>
STINT_INLINE void RoundBf16TileRow(const float* a, int64_t count,
                                   uint16_t* to) {
  using H = Bf16<V>;
  for (int64_t j = 0; j < kBf16TileK; j += V::kWidth) {
    const int64_t lanes = std::min<int64_t>(V::kWidth, count - j);
    const auto x = lanes == V::kWidth ? V::Load(a + j)
                   : lanes > 0        ? V::LoadN(a + j, lanes)
                                      : V::Set1(0);
    H::Store(to + j, H::Round(x));
  }
}

template <class V>
void PackBf16Rows(const GemmBf16Rows& rows, uint16_t* tiles) {
  for (int64_t p = 0; p < rows.k; p += kBf16TileK, tiles += kBf16TileElements) {
    for (int64_t i = 0; i < rows.m; ++i) {
      RoundBf16TileRow<V>(rows.a + i * rows.lda + p, rows.k - p,
                          tiles + i * kBf16TileK);
    }
    std::memset(tiles + rows.m * kBf16TileK, 0,
                static_cast<size_t>((kTileRows - rows.m) * kTileRowBytes));
  }
}

// Rows of C from what the registers held.
template <class V>
struct FinishBf16Rows {
  using Range = GemmBf16Tiles::Range;

  STINT_INLINE void operator()(const GemmF32Block& block, int64_t row,
                               const TileSums<float>& sums,
                               const Range& range) const {
    const bool whole = block.n == kBf16TileColumns && block.finish &&
                       !block.accumulate && block.bias_m == nullptr;
    if (whole && block.act.curve == Curve::kNone) {
      return Whole<Curve::kNone>(block, row, sums, range);
    }
    if (whole && block.act.curve == Curve::kGeluErf) {
      return Whole<Curve::kGeluErf>(block, row, sums, range);
    }
    Any(block, row, sums, range);
  }

 private:
  // What a transformer has most, without a decision per vector.
  template <Curve kCurve>
  static STINT_INLINE void Whole(const GemmF32Block& block, int64_t row,
                                 const TileSums<float>& sums,
                                 const Range& range) {
    using F = typename V::F;
    const F alpha = V::Set1(block.alpha);
    for (int64_t j = 0; j < kBf16TileColumns; j += V::kWidth) {
      const F bias = block.bias_n ? V::Load(block.bias_n + j) : V::Set1(0);
      const float* strip = sums.tile[j / 16][0] + j % 16;
      const float* residual =
          block.residual ? block.residual + (row + range.begin) * block.ldr + j
                         : nullptr;
      float* c = block.c + (row + range.begin) * block.ldc + j;
      for (int64_t i = range.begin; i < range.end; ++i, c += block.ldc) {
        // A row tile lies two tiles after the one above it.
        const uint64_t at = static_cast<uint64_t>(i);
        F x =
            V::Fma(V::Load(strip + at / 16 * 512 + at % 16 * 16), alpha, bias);
        if (residual) {
          x = x + V::Load(residual);
          residual += block.ldr;
        }
        x = Clamp<V>(x, block.act.lo, block.act.hi);
        V::Store(c, ApplyCurve<V, kCurve>(x));
      }
    }
  }

  static void Any(const GemmF32Block& block, int64_t row,
                  const TileSums<float>& sums, const Range& range) {
    for (int64_t i = range.begin; i < range.end; ++i) {
      for (int64_t j = 0; j < block.n; j += V::kWidth) {
        const float* from = sums.tile[i / 16 * 2 + j / 16][i % 16] + j % 16;
        StoreGemmVector<V>(block, row + i, j,
                           std::min<int64_t>(V::kWidth, block.n - j),
                           V::Load(from));
      }
    }
    if (block.finish && block.act.curve != Curve::kNone) {
      ApplyCurveRows<V>(block.act.curve,
                        {block.c + (row + range.begin) * block.ldc, block.ldc,
                         range.end - range.begin, block.n});
    }
  }
};

template <class Tiles, class V>
void RunBf16Tiles(const GemmBf16Block& block) {
  const GemmF32Block& f32 = block.f32;
  const int64_t pairs = CeilDiv(f32.m, 2 * kTileRows);
  TileProduct t{};
  t.a_stride = kTileRowBytes;
  t.b = reinterpret_cast<const uint8_t*>(block.b);
  t.steps = CeilDiv(f32.k, kBf16TileK);
  t.far = reinterpret_cast<const uint8_t*>(block.b_next);
  t.far_lines = block.b_next ? CeilDiv(2 * kTileBytes / 64, pairs) : 0;
  for (int64_t row = 0; row < f32.m; row += 2 * kTileRows) {
    const int64_t left = std::min<int64_t>(2 * kTileRows, f32.m - row);
    const uint16_t* a = block.a + row / kTileRows * block.a_row_tile;
    t.a[0] = reinterpret_cast<const uint8_t*>(a);
    t.a[1] = reinterpret_cast<const uint8_t*>(a + block.a_row_tile);
    t.rows = std::min<int64_t>(left, kTileRows);
    ShapeTiles<Tiles>(static_cast<int>(t.rows), &block.tiles->shape);
    block.tiles->Multiply<Tiles, TileDot::kBf16>(t, f32, row, left,
                                                 FinishBf16Rows<V>{});
    t.far += t.steps * t.far_lines * 64;
  }
}

template <class Tiles, class V>
void ReleaseBf16Tiles(GemmBf16Tiles* tiles) {
  tiles->Release<Tiles>(FinishBf16Rows<V>{});
}

}  // namespace stint
