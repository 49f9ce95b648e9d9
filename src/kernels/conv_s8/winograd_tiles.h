#pragma once
// The three parts of Winograd's convolution of bytes (winograd.h), one source
// for every instruction set S: a class of finish.h with DotPairs, which adds
// products of two numbers of 16 bits each to sums that wrap around.

#include <cstring>

#include "kernels/conv_s8/finish.h"

namespace stint {

template <class T, int kBytes>
struct VectorOf {
  typedef T Type __attribute__((vector_size(kBytes)));
};

// B^T of one column or row of a tile.
template <class V>
STINT_INLINE void TransformWinogradS8(const V (&d)[6], V (&v)[6]) {
  const V d42 = d[4] - d[2];
  const V d31 = d[3] - d[1];
  const V even = d[4] - (d[2] << 2);
  const V odd = d[3] - (d[1] << 2);
  v[0] = ((d[0] - d[2]) << 2) + d42;
  v[1] = even + odd;
  v[2] = even - odd;
  v[3] = d42 + (d31 << 1);
  v[4] = d42 - (d31 << 1);
  v[5] = d[5] - d[3] - (d31 << 2);
}

// kLanes channels of a tile.
template <int kLanes>
STINT_INLINE void TransformWinogradS8Tile(const uint8_t* x, int64_t x_pixel,
                                          int64_t x_row, int16_t* to,
                                          int64_t place) {
  using Bytes = typename VectorOf<uint8_t, kLanes>::Type;
  using V = typename VectorOf<int16_t, 2 * kLanes>::Type;
  V columns[6][6];  // [column][row]
#pragma GCC unroll 6
  for (int c = 0; c < 6; ++c) {
    V d[6];
#pragma GCC unroll 6
    for (int r = 0; r < 6; ++r) {
      Bytes bytes;
      std::memcpy(&bytes, x + r * x_row + c * x_pixel, sizeof(bytes));
      d[r] = __builtin_convertvector(bytes, V);
    }
    TransformWinogradS8(d, columns[c]);
  }
#pragma GCC unroll 6
  for (int r = 0; r < 6; ++r) {
    const V d[6] = {columns[0][r], columns[1][r], columns[2][r],
                    columns[3][r], columns[4][r], columns[5][r]};
    V v[6];
    TransformWinogradS8(d, v);
#pragma GCC unroll 6
    for (int c = 0; c < 6; ++c) {
      std::memcpy(to + (r * 6 + c) * place, &v[c], sizeof(V));
    }
  }
}

// kLanes of 16, twice as many where the channels allow it.
template <int kLanes>
void RunWinogradS8Input(const WinogradS8Input& input) {
  for (int64_t t = 0; t < input.tiles; ++t) {
    const uint8_t* x = input.x + 4 * t * input.x_pixel;
    int16_t* v = input.v + t * input.x_pixel;
    int64_t c = 0;
    for (; c + kLanes <= input.x_pixel; c += kLanes) {
      TransformWinogradS8Tile<kLanes>(x + c, input.x_pixel, input.x_row, v + c,
                                      input.v_place);
    }
    for (; c < input.x_pixel; c += 16) {
      TransformWinogradS8Tile<16>(x + c, input.x_pixel, input.x_row, v + c,
                                  input.v_place);
    }
  }
}

template <class S, int kTiles, int kVecs>
__attribute__((noinline)) void MultiplyWinogradS8(const WinogradS8Product& p,
                                                  int64_t first) {
  using I = typename S::I;
  I sums[kTiles][kVecs] = {};
  const int16_t* v[kTiles];
#pragma GCC unroll 8
  for (int t = 0; t < kTiles; ++t) v[t] = p.v + (first + t) * p.channels;
  const int16_t* u = p.u;
  for (int64_t c = 0; c < p.channels; c += 2, u += p.u_pair) {
    typename S::Pairs weights[kVecs];
#pragma GCC unroll 4
    for (int w = 0; w < kVecs; ++w) {
      weights[w] = S::LoadPairs(u + w * 2 * S::kWidth);
    }
#pragma GCC unroll 8
    for (int t = 0; t < kTiles; ++t) {
      const typename S::Pairs pair = S::BroadcastPair(v[t] + c);
#pragma GCC unroll 4
      for (int w = 0; w < kVecs; ++w) {
        sums[t][w] = S::DotPairs(sums[t][w], pair, weights[w]);
      }
    }
  }
  int32_t* m = p.m + first * kVecs * S::kWidth;
#pragma GCC unroll 8
  for (int t = 0; t < kTiles; ++t) {
#pragma GCC unroll 4
    for (int w = 0; w < kVecs; ++w, m += S::kWidth) {
      std::memcpy(m, &sums[t][w], sizeof(I));
    }
  }
}

template <class S, int kTiles, int kVecs>
STINT_INLINE void MultiplyWinogradS8Some(const WinogradS8Product& p,
                                         int64_t first, int64_t tiles) {
  if (tiles == kTiles) return MultiplyWinogradS8<S, kTiles, kVecs>(p, first);
  if constexpr (kTiles > 1) {
    MultiplyWinogradS8Some<S, kTiles - 1, kVecs>(p, first, tiles);
  }
}

// All tiles, in blocks of nearly equal size.
template <class S, int kTiles, int kVecs>
void RunWinogradS8Product(const WinogradS8Product& p) {
  const int64_t blocks = (p.tiles + kTiles - 1) / kTiles;
  for (int64_t b = 0; b < blocks; ++b) {
    const int64_t first = p.tiles * b / blocks;
    MultiplyWinogradS8Some<S, kTiles, kVecs>(
        p, first, p.tiles * (b + 1) / blocks - first);
  }
}

// 24 A^T of one column or row, as far as weights do not have it.
template <class V>
STINT_INLINE void RestoreWinogradS8(const V (&m)[6], V (&y)[4]) {
  const V sum12 = m[1] + m[2];
  const V less12 = m[1] - m[2];
  const V sum34 = m[3] + m[4];
  const V less34 = m[3] - m[4];
  y[0] = m[0] + sum34 - (sum12 << 2);
  y[1] = (less34 - (less12 << 1)) << 1;
  y[2] = (sum34 - sum12) << 2;
  y[3] = ((less34 << 1) - less12 + m[5]) << 2;
}

// One vector of channels of a tile: 16 sums with their bias, `stride` apart.
template <class S>
STINT_INLINE void RestoreWinogradS8Tile(const int32_t* m, int64_t place,
                                        const int32_t* bias, int32_t* sums,
                                        int64_t stride) {
  using I = typename S::I;
  using U = typename VectorOf<uint32_t, sizeof(I)>::Type;
  constexpr uint32_t kNinth = 0x38E38E39u;  // times 9 it is 1, in 32 bits
  U columns[6][4];
#pragma GCC unroll 6
  for (int c = 0; c < 6; ++c) {
    U d[6];
#pragma GCC unroll 6
    for (int r = 0; r < 6; ++r) {
      std::memcpy(&d[r], m + (r * 6 + c) * place, sizeof(U));
    }
    RestoreWinogradS8(d, columns[c]);
  }
  const I first = S::LoadSums(bias);
#pragma GCC unroll 4
  for (int r = 0; r < 4; ++r) {
    const U d[6] = {columns[0][r], columns[1][r], columns[2][r],
                    columns[3][r], columns[4][r], columns[5][r]};
    U y[4];
    RestoreWinogradS8(d, y);
#pragma GCC unroll 4
    for (int c = 0; c < 4; ++c) {
      const I whole = (reinterpret_cast<I>(y[c] * kNinth) >> 6) + first;
      std::memcpy(sums + (r * 4 + c) * stride, &whole, sizeof(I));
    }
  }
}

template <class S, int kPixels, int kVecs>
STINT_INLINE void FinishWinogradS8Row(const ConvS8Store& store, int64_t first,
                                      const int32_t* from) {
  typename S::I sums[kPixels][kVecs];
  std::memcpy(sums, from, sizeof(sums));
  FinishPixels<S, LaneOrder::kChannels>(store, first, sums);
}

template <class S, int kVecs>
void RunWinogradS8Result(const WinogradS8Result& r) {
  constexpr int64_t kPixel = kVecs * S::kWidth;
  alignas(64) int32_t sums[16 * kPixel];
#pragma GCC unroll 4
  for (int w = 0; w < kVecs; ++w) {
    RestoreWinogradS8Tile<S>(r.m + w * S::kWidth, r.m_place,
                             r.bias + w * S::kWidth, sums + w * S::kWidth,
                             kPixel);
  }
  for (int64_t row = 0; row < r.rows; ++row) {
    const int32_t* from = sums + row * 4 * kPixel;
    const int64_t first = r.first + row * r.row_pixels;
    if (r.cols == 4) {
      FinishWinogradS8Row<S, 4, kVecs>(r.store, first, from);
      continue;
    }
    for (int64_t c = 0; c < r.cols; ++c) {
      FinishWinogradS8Row<S, 1, kVecs>(r.store, first + c, from + c * kPixel);
    }
  }
}

}  // namespace stint
