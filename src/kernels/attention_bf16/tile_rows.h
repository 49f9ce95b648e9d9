#pragma once
// Attention of a block of rows on tiles: scores of 32 queries, their weights in
// fp32 and then bf16, the product with the values. One source for AMX, its
// emulation and vector registers (class Tiles) and for every vector class V.

#include <algorithm>
#include <limits>

#include "kernels/attention_bf16/attention_bf16.h"
#include "kernels/attention_bf16/pack_head.h"
#include "kernels/simd/math.h"
#include "kernels/simd/tile_product.h"

namespace stint {

// e^x for x <= 0 with a relative error of 8e-5, a twentieth of what rounding to
// bf16 brings. Degree 3, fitted at Chebyshev nodes.
template <class V>
STINT_INLINE typename V::F ExpCoarse(typename V::F x) {
  constexpr float kSeries[] = {0.99992895f, 1.0001862f, 0.50494856f,
                               0.16541924f};
  return ExpBelowZero<V>(kSeries, x);
}

// To nearest: no weight is so large that this could overflow.
template <class V>
STINT_INLINE typename Bf16<V>::H RoundWeight(typename V::F x) {
  if constexpr (requires { V::NarrowOne(x); }) {
    return Bf16<V>::Round(x);
  } else {
    const auto bits = reinterpret_cast<typename Bf16<V>::U>(x) + 0x8000u;
    return __builtin_convertvector(bits >> 16, typename Bf16<V>::H);
  }
}

// 32 queries from `row` on.
template <class Tiles, class V>
class TileAttention {
 public:
  TileAttention(const AttentionF32Rows& rows, int64_t row)
      : rows_(rows),
        row_(row),
        count_(std::min<int64_t>(kAttentionTileRows, rows.m - row)),
        steps_((rows.head.size + kAttentionStep - 1) / kAttentionStep),
        length_(RoundUp(rows.head.length, kAttentionTileKeys)),
        scores_(rows.scores + row * rows.lds) {}

  void Run() {
    RoundQueries();
    for (int64_t j = 0; j < length_; j += kAttentionTileKeys) Score(j);
    // Two loops: what is folded across lanes in one row overlaps with the next.
    for (int64_t i = 0; i < count_; ++i) factor_[i] = Mask(i);
    for (int64_t i = 0; i < count_; ++i) Weigh(i);
    for (int64_t d = 0; d < rows_.head.size; d += 32) Sum(d);
  }

 private:
  void RoundQueries() {
    for (int64_t tile = 0; tile < 2; ++tile) {
      const int64_t rows = TileCount(tile);
      const float* q = rows_.q + (row_ + tile * kTileRows) * rows_.ldq;
      for (int64_t s = 0; s < steps_; ++s) {
        RoundTile<V>(q + s * kAttentionStep, rows_.ldq, rows,
                     rows_.head.size - s * kAttentionStep, queries_[tile][s]);
      }
    }
  }

  // Products of all queries with 32 keys from j on.
  void Score(int64_t j) {
    const float* keys =
        rows_.head.keys + j / kTileRows * steps_ * kAttentionTileWords;
    if constexpr (WholeTiles<Tiles>) {
      ScoreWhole(keys, scores_ + j);
    } else {
      ScoreOnRegisters(keys, scores_ + j);
    }
  }

  // Queries of a row tile that are there.
  int64_t TileCount(int64_t tile) const {
    return std::clamp<int64_t>(count_ - tile * kTileRows, 0, kTileRows);
  }

  void ScoreWhole(const float* keys, float* to) {
    const auto* b = reinterpret_cast<const uint8_t*>(keys);
    for (int64_t tile = 0; tile < 2; ++tile, to += kTileRows * rows_.lds) {
      Tiles::template Rows<2>(
          {.a = reinterpret_cast<const uint8_t*>(queries_[tile]),
           .a_stride = kTileRowBytes,
           .a_offset = nullptr,
           .a_step = kTileBytes,
           .b = {b, b + steps_ * kTileBytes},
           .b_step = kTileBytes,
           .steps = steps_,
           .c = {to, to + 16},
           .c_stride = rows_.lds * 4},
          TileCount(tile));
    }
  }

  void ScoreOnRegisters(const float* keys, float* to) {
    Tiles::template Zero<0>();
    Tiles::template Zero<1>();
    Tiles::template Zero<2>();
    Tiles::template Zero<3>();
    for (int64_t s = 0; s < steps_; ++s) {
      const float* key = keys + s * kAttentionTileWords;
      Tiles::template Load<4>(queries_[0][s], kTileRowBytes);
      Tiles::template Load<5>(queries_[1][s], kTileRowBytes);
      Tiles::template Load<6>(key, kTileRowBytes);
      Tiles::template Load<7>(key + steps_ * kAttentionTileWords,
                              kTileRowBytes);
      DotAll();
    }
    const int64_t stride = rows_.lds * 4;
    Tiles::template Store<0>(to, stride);
    Tiles::template Store<1>(to + 16, stride);
    Tiles::template Store<2>(to + kTileRows * rows_.lds, stride);
    Tiles::template Store<3>(to + kTileRows * rows_.lds + 16, stride);
  }

  static STINT_INLINE void DotAll() {
    Tiles::template DotBf16<0, 4, 6>();
    Tiles::template DotBf16<1, 4, 7>();
    Tiles::template DotBf16<2, 5, 6>();
    Tiles::template DotBf16<3, 5, 7>();
  }

  // Scales and masks the scores of a row; returns the largest, finite even when
  // all of them are -infinity.
  STINT_INLINE float Mask(int64_t i) {
    using F = typename V::F;
    float* x = scores_ + i * rows_.lds;
    const F scale = V::Set1(rows_.scale);
    const int64_t n = rows_.head.length;
    const float* mask =
        rows_.mask ? rows_.mask + (row_ + i) * rows_.ldm : nullptr;
    F best = V::Set1(std::numeric_limits<float>::lowest());
    int64_t j = 0;
    for (; j + V::kWidth <= n; j += V::kWidth) {
      const F add = mask ? V::Load(mask + j) : V::Set1(0);
      const F score = V::Fma(V::Load(x + j), scale, add);
      V::Store(x + j, score);
      best = V::Max(score, best);
    }
    float max = MaxLane<V>(best);
    for (; j < n; ++j) {
      x[j] = x[j] * rows_.scale + (mask ? mask[j] : 0);
      max = x[j] > max ? x[j] : max;
    }
    std::fill(x + n, x + length_, -std::numeric_limits<float>::infinity());
    return max;
  }

  // Scores of a row become weights in bf16, at the front of the row: what is
  // written never passes what is read.
  STINT_INLINE void Weigh(int64_t i) {
    using F = typename V::F;
    float* x = scores_ + i * rows_.lds;
    const F max = V::Set1(factor_[i]);
    auto* to = reinterpret_cast<uint16_t*>(x);
    F sum = V::Set1(0);
    for (int64_t j = 0; j < length_; j += V::kWidth) {
      const F e = ExpCoarse<V>(V::Load(x + j) - max);
      Bf16<V>::Store(to + j, RoundWeight<V>(e));
      sum = sum + e;
    }
    const float total = SumLanes<V>(sum);
    // NaN must stay NaN.
    factor_[i] = total == 0 ? 0 : 1 / total;
  }

  // Floats [d, d + 32) of the outputs.
  void Sum(int64_t d) {
    const float* values = rows_.head.values + d / 16 * kAttentionTileWords;
    const bool second = d + 16 < rows_.head.size;
    if constexpr (WholeTiles<Tiles>) {
      second ? SumWhole<2>(values) : SumWhole<1>(values);
    } else {
      SumOnRegisters(values, second);
    }
    StoreRows(d, std::min<int64_t>(32, rows_.head.size - d));
  }

  // Column tiles of values.
  int64_t Columns() const { return (rows_.head.size + 15) / 16; }

  template <int kColTiles>
  void SumWhole(const float* values) {
    const auto* b = reinterpret_cast<const uint8_t*>(values);
    for (int64_t tile = 0; tile < 2; ++tile) {
      const float* weights = scores_ + tile * kTileRows * rows_.lds;
      Tiles::template Rows<kColTiles>(
          {.a = reinterpret_cast<const uint8_t*>(weights),
           .a_stride = rows_.lds * 4,
           .a_offset = nullptr,
           .a_step = kTileRowBytes,
           .b = {b, b + kTileBytes},
           .b_step = Columns() * kTileBytes,
           .steps = length_ / kAttentionTileKeys,
           .c = {sums_.tile[2 * tile][0], sums_.tile[2 * tile + 1][0]},
           .c_stride = kTileRowBytes},
          TileCount(tile));
    }
  }

  void SumOnRegisters(const float* values, bool second) {
    Tiles::template Zero<0>();
    Tiles::template Zero<1>();
    Tiles::template Zero<2>();
    Tiles::template Zero<3>();
    const int64_t stride = rows_.lds * 4;
    for (int64_t j = 0; j < length_; j += kAttentionTileKeys) {
      const float* weights = scores_ + j / 2;
      Tiles::template Load<4>(weights, stride);
      Tiles::template Load<5>(weights + kTileRows * rows_.lds, stride);
      Tiles::template Load<6>(values, kTileRowBytes);
      // Where there is no second column tile the first does for it.
      Tiles::template Load<7>(values + (second ? kAttentionTileWords : 0),
                              kTileRowBytes);
      DotAll();
      values += Columns() * kAttentionTileWords;
    }
    Tiles::template Store<0>(sums_.tile[0], kTileRowBytes);
    Tiles::template Store<1>(sums_.tile[1], kTileRowBytes);
    Tiles::template Store<2>(sums_.tile[2], kTileRowBytes);
    Tiles::template Store<3>(sums_.tile[3], kTileRowBytes);
  }

  void StoreRows(int64_t d, int64_t width) {
    for (int64_t i = 0; i < count_; ++i) {
      const typename V::F factor = V::Set1(factor_[i]);
      float* out = rows_.out + (row_ + i) * rows_.ldo + d;
      for (int64_t j = 0; j < width; j += V::kWidth) {
        const float* from = sums_.tile[i / 16 * 2 + j / 16][i % 16] + j % 16;
        const auto y = V::Load(from) * factor;
        if (width - j >= V::kWidth) {
          V::Store(out + j, y);
        } else {
          V::StoreN(out + j, y, width - j);
        }
      }
    }
  }

  const AttentionF32Rows& rows_;
  const int64_t row_;
  const int64_t count_;
  const int64_t steps_;   // of 32 floats of a head
  const int64_t length_;  // keys, padded
  float* const scores_;
  // Of each row the largest score, and then 1 / sum of the weights.
  float factor_[kAttentionTileRows];
  alignas(64) uint16_t queries_[2][kAttentionBf16MostSize / kAttentionStep]
                               [kTileRows * kAttentionStep];
  TileSums<float> sums_;
};

template <class Tiles, class V>
void RunTileAttention(const AttentionF32Rows& rows) {
  TileShape shape;
  ShapeTiles<Tiles>(kTileRows, &shape);
  for (int64_t row = 0; row < rows.m; row += kAttentionTileRows) {
    TileAttention<Tiles, V>(rows, row).Run();
  }
  ReleaseTiles<Tiles>(&shape);
}

}  // namespace stint
