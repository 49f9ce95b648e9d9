#pragma once
// Keys and values of a head as tiles of bf16, one source for every vector class
// Z (attention_f32/transpose.h).
//
// Keys: for each 16 keys and 32 floats of them a tile of [16 pairs of
// floats][16 keys][2]. Values: for each 32 keys and 16 floats a tile of [16
// pairs of keys][16 floats][2]. What is past the last key or float is 0.

#include <algorithm>
#include <cstring>

#include "core/base/checked_math.h"
#include "kernels/attention_bf16/tile_sizes.h"
#include "kernels/attention_f32/attention_f32_table.h"
#include "kernels/attention_f32/transpose.h"
#include "kernels/simd/amx_tiles.h"
#include "kernels/simd/bf16.h"

namespace stint {

// Floats of a query or key in one tile.
inline constexpr int64_t kAttentionStep = 32;
inline constexpr int64_t kAttentionTileWords = kTileBytes / 4;

// Up to one vector of floats; lanes past `count` are 0.
template <class V>
STINT_INLINE typename V::F LoadLanes(const float* p, int64_t count) {
  if (count >= V::kWidth) return V::Load(p);
  return count > 0 ? V::LoadN(p, count) : V::Set1(0);
}

// Rows of 32 floats, up to `count` each, rounded into a tile of [16][32].
template <class V>
STINT_INLINE void RoundTile(const float* x, int64_t stride, int64_t rows,
                            int64_t count, uint16_t* tile) {
  using H = Bf16<V>;
  for (int64_t i = 0; i < rows; ++i, x += stride, tile += kAttentionStep) {
#pragma GCC unroll 8
    for (int64_t j = 0; j < kAttentionStep; j += V::kWidth) {
      H::Store(tile + j, H::Round(LoadLanes<V>(x + j, count - j)));
    }
  }
  std::memset(tile, 0, static_cast<size_t>((kTileRows - rows) * kTileRowBytes));
}

// to[j][i] = from[i][j], 16 by 16 words of 32 bits.
template <class Z>
STINT_INLINE void TransposeWords(const float* from, float* to) {
  constexpr int kWidth = Z::kWidth;
  for (int i = 0; i < 16; i += kWidth) {
    for (int j = 0; j < 16; j += kWidth) {
      typename Z::F block[kWidth];
#pragma GCC unroll 16
      for (int r = 0; r < kWidth; ++r) {
        block[r] = Z::Load(from + (i + r) * 16 + j);
      }
      TransposeSquare<Z>(block);
#pragma GCC unroll 16
      for (int r = 0; r < kWidth; ++r) {
        Z::Store(to + (j + r) * 16 + i, block[r]);
      }
    }
  }
}

template <class Z>
void PackTileKeys(const AttentionF32Head& head, int64_t begin, int64_t end) {
  const int64_t steps = CeilDiv(head.size, kAttentionStep);
  // Words of two bf16 each; moved as floats, which are never computed with.
  alignas(64) float words[kAttentionTileWords];
  float* to = head.keys + begin / kTileRows * steps * kAttentionTileWords;
  for (int64_t j = begin; j < end; j += kTileRows) {
    const int64_t rows =
        std::clamp<int64_t>(head.length - j, 0, int64_t{kTileRows});
    for (int64_t d = 0; d < head.size; d += kAttentionStep) {
      RoundTile<Z>(head.k + j * head.ldk + d, head.ldk, rows, head.size - d,
                   reinterpret_cast<uint16_t*>(words));
      TransposeWords<Z>(words, to);
      to += kAttentionTileWords;
    }
  }
}

// Numbers of `even` and `odd` in turn, as bf16.
template <class V>
STINT_INLINE auto RoundPairs(typename V::F even, typename V::F odd) {
  if constexpr (requires { V::NarrowInTurn(even, odd); }) {
    return V::NarrowInTurn(even, odd);
  } else {
    using H = Bf16<V>;
    return (H::RoundBits(even) >> 16) | (H::RoundBits(odd) & 0xffff0000u);
  }
}

// One tile of values: keys from j, floats from d.
template <class Z>
STINT_INLINE void PackValueTile(const AttentionF32Head& head, int64_t j,
                                int64_t d, float* to) {
  for (int64_t p = 0; p < kTileRows; ++p, j += 2) {
    const float* even = head.v + j * head.ldv + d;
    for (int64_t lane = 0; lane < 16; lane += Z::kWidth) {
      const int64_t count = head.size - d - lane;
      const auto low = LoadLanes<Z>(even + lane, j < head.length ? count : 0);
      const auto high =
          LoadLanes<Z>(even + head.ldv + lane, j + 1 < head.length ? count : 0);
      const auto pair = RoundPairs<Z>(low, high);
      std::memcpy(to + p * 16 + lane, &pair, sizeof(pair));
    }
  }
}

// Keys [begin, end), of which the first is a multiple of 32.
template <class Z>
void PackTileRange(const AttentionF32Head& head, int64_t begin, int64_t end) {
  end = RoundUp(end, kAttentionTileKeys);
  PackTileKeys<Z>(head, begin, end);
  const int64_t columns = CeilDiv(head.size, 16);
  float* to =
      head.values + begin / kAttentionTileKeys * columns * kAttentionTileWords;
  for (int64_t j = begin; j < end; j += kAttentionTileKeys) {
    for (int64_t d = 0; d < head.size; d += 16, to += kAttentionTileWords) {
      PackValueTile<Z>(head, j, d, to);
    }
  }
}

template <class Z>
void PackTileHead(const AttentionF32Head& head) {
  PackTileRange<Z>(head, 0, head.length);
}

}  // namespace stint
