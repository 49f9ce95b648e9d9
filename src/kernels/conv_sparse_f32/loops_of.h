#pragma once
// SparseLoops for any register type V and block of channels.

#include <algorithm>

#include "kernels/conv_sparse_f32/loops.h"
#include "kernels/simd/curves.h"

namespace stint {

// kPixels registers of pixels for each of kRows outputs.
template <class V, int kRows, int kPixels>
STINT_INLINE void SumTile(const SparseSums& s, int64_t at) {
  using F = typename V::F;
  F sums[kRows][kPixels];
  for (int r = 0; r < kRows; ++r) {
    for (int p = 0; p < kPixels; ++p) sums[r][p] = V::Set1(0.0f);
  }
  const float* x = s.x + at;
  const float* w = s.values;
  for (int64_t e = 0; e < s.count; ++e, w += kRows) {
    const float* from = x + s.offsets[e];
    F pixels[kPixels];
    for (int p = 0; p < kPixels; ++p) pixels[p] = V::Load(from + p * V::kWidth);
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      const F weight = V::Set1(w[r]);
#pragma GCC unroll 16
      for (int p = 0; p < kPixels; ++p) {
        sums[r][p] = V::Fma(weight, pixels[p], sums[r][p]);
      }
    }
  }
  for (int r = 0; r < kRows; ++r) {
    for (int p = 0; p < kPixels; ++p) {
      V::Store(s.sums + r * s.pitch + at + p * V::kWidth, sums[r][p]);
    }
  }
}

// The last tiles are narrower, so that little is computed past the end.
template <class V, int kRows, int kPixels>
void SumRows(const SparseSums& s) {
  int64_t at = 0;
  for (; s.pixels - at > (kPixels - 1) * V::kWidth; at += kPixels * V::kWidth) {
    SumTile<V, kRows, kPixels>(s, at);
  }
  if constexpr (kPixels > 4) {
    for (; s.pixels - at > 3 * V::kWidth; at += 4 * V::kWidth) {
      SumTile<V, kRows, 4>(s, at);
    }
  }
  if constexpr (kPixels > 3) {
    for (; s.pixels - at > V::kWidth; at += 2 * V::kWidth) {
      SumTile<V, kRows, 2>(s, at);
    }
  }
  for (; at < s.pixels; at += V::kWidth) SumTile<V, kRows, 1>(s, at);
}

// kRows1 to kRows16: registers of pixels per tile of so many outputs.
template <class V, int kRows1, int kRows4, int kRows8, int kRows16>
void RunSparseSums(const SparseSums& s) {
  switch (s.rows) {
    case 1:
      return SumRows<V, 1, kRows1>(s);
    case 4:
      return SumRows<V, 4, kRows4>(s);
    case 8:
      return SumRows<V, 8, kRows8>(s);
    default:
      return SumRows<V, 16, kRows16>(s);
  }
}

// T has kBlock, and Turn(from, pitch, to, to_pitch): kBlock x kBlock floats
// with rows and columns exchanged.
template <class T>
void RunSparseSplit(const SparseSplit& s) {
  constexpr int kBlock = T::kBlock;
  int64_t at = 0;
  if (s.channels == kBlock) {
    for (; at + kBlock <= s.pixels; at += kBlock) {
      T::Turn(s.x + at * s.stride * kBlock, s.stride * kBlock, s.planes + at,
              s.plane);
    }
  }
  for (; at < s.pixels; ++at) {
    const float* from = s.x + at * s.stride * kBlock;
    for (int64_t c = 0; c < s.channels; ++c) {
      s.planes[c * s.plane + at] = from[c];
    }
  }
}

template <class V, class T>
void RunSparseFinish(const SparseFinish& s) {
  constexpr int kBlock = T::kBlock;
  constexpr int kWidth = V::kWidth;
  alignas(64) float turned[kBlock * kBlock];
  for (int64_t at = 0; at < s.pixels; at += kBlock) {
    // Sums have room past their end; what is there is not stored.
    T::Turn(s.sums + at, s.pitch, turned, kBlock);
    const int64_t count = std::min<int64_t>(kBlock, s.pixels - at);
    for (int64_t p = 0; p < count; ++p) {
      for (int c = 0; c < kBlock; c += kWidth) {
        auto sum = V::Load(turned + p * kBlock + c);
        const int64_t to = (at + p) * s.y_pitch + c;
        if (s.bias != nullptr) sum += V::Load(s.bias + c);
        if (s.residual != nullptr) sum += V::Load(s.residual + to);
        V::Store(s.y + to, Clamp<V>(sum, s.act.lo, s.act.hi));
      }
    }
  }
  ApplyCurveRows<V>(s.act.curve, {s.y, s.y_pitch, s.pixels, kBlock});
}

// Any width.
template <int kWidth>
struct ScalarTurn {
  static constexpr int kBlock = kWidth;
  static STINT_INLINE void Turn(const float* from, int64_t pitch, float* to,
                                int64_t to_pitch) {
    for (int i = 0; i < kBlock; ++i) {
      for (int j = 0; j < kBlock; ++j) {
        to[j * to_pitch + i] = from[i * pitch + j];
      }
    }
  }
};

}  // namespace stint
