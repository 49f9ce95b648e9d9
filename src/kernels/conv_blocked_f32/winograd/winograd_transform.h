#pragma once
// The Winograd transforms of inputs and outputs, one source for every vector
// width V; the matrices are those of Lavin and Gray.

#include "kernels/conv_blocked_f32/winograd/winograd.h"
#include "kernels/simd/curves.h"

namespace stint {

// to = B^T * d for one column d of kM + 2 values.
template <class V, int kM>
STINT_INLINE void WinogradIn(const typename V::F* d, typename V::F* to) {
  if constexpr (kM == 2) {
    to[0] = d[0] - d[2];
    to[1] = d[1] + d[2];
    to[2] = d[2] - d[1];
    to[3] = d[1] - d[3];
  } else {
    const auto four = V::Set1(4), five = V::Set1(-5), two = V::Set1(2);
    const auto a = V::Fma(V::Set1(-4), d[2], d[4]);  // d4 - 4 d2
    const auto b = V::Fma(V::Set1(-4), d[1], d[3]);  // d3 - 4 d1
    const auto c = d[4] - d[2];
    const auto e = d[3] - d[1];
    to[0] = V::Fma(four, d[0], V::Fma(five, d[2], d[4]));
    to[1] = a + b;
    to[2] = a - b;
    to[3] = V::Fma(two, e, c);
    to[4] = V::Fma(V::Set1(-2), e, c);
    to[5] = V::Fma(four, d[1], V::Fma(five, d[3], d[5]));
  }
}

// to = A^T * s for one column s of kM + 2 values.
template <class V, int kM>
STINT_INLINE void WinogradOut(const typename V::F* s, typename V::F* to) {
  if constexpr (kM == 2) {
    to[0] = s[0] + s[1] + s[2];
    to[1] = s[1] - s[2] - s[3];
  } else {
    const auto a = s[1] + s[2], b = s[1] - s[2];
    const auto c = s[3] + s[4], e = s[3] - s[4];
    to[0] = s[0] + a + c;
    to[1] = V::Fma(V::Set1(2), e, b);
    to[2] = V::Fma(V::Set1(4), c, a);
    to[3] = V::Fma(V::Set1(8), e, b) + s[5];
  }
}

template <class V, int kBlock, int kM>
void RunWinogradInput(const WinogradInput& tile) {
  using F = typename V::F;
  constexpr int kT = kM + 2;
  for (int lane = 0; lane < kBlock; lane += V::kWidth) {
    F columns[kT][kT];  // by column
#pragma GCC unroll 6
    for (int j = 0; j < kT; ++j) {
      F d[kT];
#pragma GCC unroll 6
      for (int i = 0; i < kT; ++i) {
        d[i] = V::Load(tile.x + i * tile.x_row + j * kBlock + lane);
      }
      WinogradIn<V, kM>(d, columns[j]);
    }
#pragma GCC unroll 6
    for (int i = 0; i < kT; ++i) {
      F d[kT], to[kT];
#pragma GCC unroll 6
      for (int j = 0; j < kT; ++j) d[j] = columns[j][i];
      WinogradIn<V, kM>(d, to);
#pragma GCC unroll 6
      for (int j = 0; j < kT; ++j) {
        V::Store(tile.v + (i * kT + j) * tile.v_element + lane, to[j]);
      }
    }
  }
}

template <class V, int kBlock, int kM>
void RunWinogradOutput(const WinogradOutput& tile) {
  using F = typename V::F;
  constexpr int kT = kM + 2;
  for (int lane = 0; lane < kBlock; lane += V::kWidth) {
    F columns[kT][kM];  // by column
#pragma GCC unroll 6
    for (int j = 0; j < kT; ++j) {
      F s[kT];
#pragma GCC unroll 6
      for (int i = 0; i < kT; ++i) {
        s[i] = V::Load(tile.sums + (i * kT + j) * tile.element + lane);
      }
      WinogradOut<V, kM>(s, columns[j]);
    }
    const F bias = tile.bias ? V::Load(tile.bias + lane) : V::Set1(0);
#pragma GCC unroll 4
    for (int i = 0; i < kM; ++i) {
      F s[kT], to[kM];
#pragma GCC unroll 6
      for (int j = 0; j < kT; ++j) s[j] = columns[j][i];
      WinogradOut<V, kM>(s, to);
      if (i >= tile.rows) break;
#pragma GCC unroll 4
      for (int j = 0; j < kM; ++j) {
        if (j >= tile.cols) break;
        const int64_t at = i * tile.y_row + j * kBlock + lane;
        F sum = to[j] + bias;
        if (tile.residual) sum = sum + V::Load(tile.residual + at);
        V::Store(tile.y + at, Clamp<V>(sum, tile.act.lo, tile.act.hi));
      }
    }
  }
  if (tile.act.curve != Curve::kNone) {
    ApplyCurveRows<V>(tile.act.curve,
                      {tile.y, tile.y_row, tile.rows, tile.cols * kBlock});
  }
}

}  // namespace stint
