#pragma once
// ConvS8SparseSet for any instruction set: S as in finish.h, D with a vector I
// of kWidth int32 and Dot(sums, words, word), T with Turn of 16 x 16 words.

#include "kernels/conv_s8/finish.h"
#include "kernels/conv_s8/tiles.h"

namespace stint {

// kPixels vectors of pixels at once.
template <class D, int kPixels>
STINT_INLINE void SparseS8Tile(const ConvS8SparseSums& s, int64_t from) {
  using I = typename D::I;
  I sums[kPixels];
  for (int p = 0; p < kPixels; ++p) sums[p] = D::Set1(s.bias);
  const uint32_t* x = s.x + from;
  const int32_t* entry = s.entries;
  for (int64_t e = 0; e < s.count; ++e, entry += 2) {
    const uint32_t* words = x + s.at[entry[0]];
    const I weights = D::Set1(entry[1]);
#pragma GCC unroll 16
    for (int p = 0; p < kPixels; ++p) {
      sums[p] = D::Dot(sums[p], D::Load(words + p * D::kWidth), weights);
    }
  }
  for (int p = 0; p < kPixels; ++p) {
    D::Store(s.sums + from + p * D::kWidth, sums[p]);
  }
}

// The last tiles are narrower, so that little is computed past the end.
template <class D, int kPixels>
void RunSparseS8Sums(const ConvS8SparseSums& s) {
  int64_t at = 0;
  for (; s.pixels - at > (kPixels - 1) * D::kWidth; at += kPixels * D::kWidth) {
    SparseS8Tile<D, kPixels>(s, at);
  }
  for (; s.pixels - at > D::kWidth; at += 2 * D::kWidth) {
    SparseS8Tile<D, 2>(s, at);
  }
  for (; at < s.pixels; at += D::kWidth) SparseS8Tile<D, 1>(s, at);
}

template <class T>
void RunSparseS8Split(const ConvS8SparseSplit& s) {
  int64_t group = 0;
  int64_t turned = 0;
  for (; group + 16 <= s.groups; group += 16) {
    for (turned = 0; turned + 16 <= s.pixels; turned += 16) {
      T::Turn(reinterpret_cast<const float*>(s.x + turned * s.pitch + group),
              s.pitch,
              reinterpret_cast<float*>(s.planes + group * s.plane + turned),
              s.plane);
    }
  }
  for (int64_t g = 0; g < s.groups; ++g) {
    uint32_t* plane = s.planes + g * s.plane;
    for (int64_t p = g < group ? turned : 0; p < s.pixels; ++p) {
      plane[p] = s.x[p * s.pitch + g];
    }
  }
}

template <class S, class T>
void RunSparseS8Finish(const ConvS8SparseFinish& s) {
  constexpr int kVecs = kConvS8SparseOutputs / S::kWidth;
  alignas(64) int32_t turned[16 * kConvS8SparseOutputs];
  for (int64_t at = 0; at < s.pixels; at += 16) {
    T::Turn(reinterpret_cast<const float*>(s.sums + at), s.pitch,
            reinterpret_cast<float*>(turned), kConvS8SparseOutputs);
    const int64_t count = s.pixels - at < 16 ? s.pixels - at : 16;
    for (int64_t p = 0; p < count; ++p) {
      typename S::I sums[1][kVecs];
      for (int v = 0; v < kVecs; ++v) {
        sums[0][v] =
            S::LoadSums(turned + p * kConvS8SparseOutputs + v * S::kWidth);
      }
      FinishPixels<S, LaneOrder::kChannels>(s.store, at + p, sums);
    }
  }
}

}  // namespace stint
