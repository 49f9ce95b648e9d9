#pragma once
// From sums in registers to bytes in memory, one source for every instruction
// set S: a class of gemm_s8 (lanes_*.h) with LoadBytes (kWidth bytes to
// lanes) and a class Bytes that adds the zero point, clamps and stores; with
// kHasPieces, also Piecewise, which looks up a CurveTable.

#include <cstring>

#include "kernels/conv_s8/tiles.h"
#include "kernels/simd/curves.h"

namespace stint {

// Which channel a lane holds.
enum class LaneOrder {
  kChannels,  // lane i of vector v is channel v * kWidth + i
  kQuads,     // groups of four as byte interleaving leaves them; four vectors
};

// A pixel's residual, lane by lane; bytes past `n` are not read.
template <class S, LaneOrder kOrder, int kVecs>
STINT_INLINE void LoadResidual(const uint8_t* p, int64_t n,
                               typename S::I (&lanes)[kVecs]) {
  constexpr int64_t kBytes = kVecs * S::kWidth;
  uint8_t bytes[kBytes];
  if (n < kBytes) {
    std::memset(bytes, 0, sizeof(bytes));
    std::memcpy(bytes, p, static_cast<size_t>(n));
    p = bytes;
  }
  if constexpr (kOrder == LaneOrder::kQuads) {
    S::Widen(p, lanes);
  } else {
#pragma GCC unroll 4
    for (int v = 0; v < kVecs; ++v) lanes[v] = S::LoadBytes(p + v * S::kWidth);
  }
}

// t of the contract in conv_s8.h for one pixel. The product and the sum are
// rounded apart, as on every machine.
template <class S, LaneOrder kOrder, int kVecs>
STINT_INLINE void ScalePixel(const ConvS8Store& store, int64_t pixel,
                             const typename S::I (&sums)[kVecs],
                             typename S::F (&t)[kVecs]) {
#pragma GCC unroll 4
  for (int v = 0; v < kVecs; ++v) {
    t[v] = S::ToFloat(sums[v]) * S::Load(store.multiplier + v * S::kWidth);
  }
  if (store.residual != nullptr) {
    typename S::I r[kVecs];
    LoadResidual<S, kOrder>(store.residual + pixel * store.y_pixel,
                            store.channels, r);
    const typename S::F scale = S::Set1(store.out->r_scale);
#pragma GCC unroll 4
    for (int v = 0; v < kVecs; ++v) {
      const typename S::F part = S::ToFloat(r[v] - store.out->r_zero) * scale;
      t[v] = t[v] + part;
    }
  }
  if (store.out->leak != 1) {
    const typename S::F leak = S::Set1(store.out->leak);
#pragma GCC unroll 4
    for (int v = 0; v < kVecs; ++v) t[v] = S::Max(t[v], t[v] * leak);
  }
}

// `sums` of kPixels pixels from `first` on, without a curve.
template <class S, LaneOrder kOrder, int kPixels, int kVecs>
STINT_INLINE void StorePixels(const ConvS8Store& store, int64_t first,
                              const typename S::I (&sums)[kPixels][kVecs]) {
  const typename S::Bytes bytes(*store.out, store.channels);
#pragma GCC unroll 8
  for (int i = 0; i < kPixels; ++i) {
    typename S::F t[kVecs];
    ScalePixel<S, kOrder>(store, first + i, sums[i], t);
    typename S::I q[kVecs];
#pragma GCC unroll 4
    for (int v = 0; v < kVecs; ++v) q[v] = S::Round(t[v]);
    bytes.template Store<kOrder>(store.y + (first + i) * store.y_pixel, q);
  }
}

// t of `pixels` pixels from `first` on, through the curve and to bytes.
template <class S, LaneOrder kOrder, int kVecs>
__attribute__((noinline)) void StoreCurvedRows(const ConvS8Store& store,
                                               int64_t first, int64_t pixels,
                                               float* t) {
  constexpr int kRow = kVecs * S::kWidth;
  ApplyCurveRows<S>(store.out->act.curve, {t, kRow, pixels, kRow});
  const typename S::Bytes bytes(*store.out, store.channels);
  const typename S::F inverse = S::Set1(store.out->inverse);
  for (int64_t i = 0; i < pixels; ++i) {
    typename S::I q[kVecs];
#pragma GCC unroll 4
    for (int v = 0; v < kVecs; ++v) {
      q[v] = S::Round(S::Load(t + i * kRow + v * S::kWidth) * inverse);
    }
    bytes.template Store<kOrder>(store.y + (first + i) * store.y_pixel, q);
  }
}

// As StorePixels, with a curve: it is applied in memory, since in registers it
// would spill the sums.
template <class S, LaneOrder kOrder, int kPixels, int kVecs>
STINT_INLINE void StoreCurved(const ConvS8Store& store, int64_t first,
                              const typename S::I (&sums)[kPixels][kVecs]) {
  constexpr int kRow = kVecs * S::kWidth;
  const Activation& act = store.out->act;
  float results[kPixels * kRow];
#pragma GCC unroll 8
  for (int i = 0; i < kPixels; ++i) {
    typename S::F t[kVecs];
    ScalePixel<S, kOrder>(store, first + i, sums[i], t);
#pragma GCC unroll 4
    for (int v = 0; v < kVecs; ++v) {
      S::Store(results + i * kRow + v * S::kWidth,
               Clamp<S>(t[v], act.lo, act.hi));
    }
  }
  StoreCurvedRows<S, kOrder, kVecs>(store, first, kPixels, results);
}

// The same with the curve as pieces, in registers.
template <class S, LaneOrder kOrder, int kPixels, int kVecs>
STINT_INLINE void StorePieces(const ConvS8Store& store, int64_t first,
                              const typename S::I (&sums)[kPixels][kVecs]) {
  const typename S::Bytes bytes(*store.out, store.channels);
  const typename S::F inverse = S::Set1(store.out->inverse);
#pragma GCC unroll 8
  for (int i = 0; i < kPixels; ++i) {
    typename S::F t[kVecs];
    ScalePixel<S, kOrder>(store, first + i, sums[i], t);
    typename S::I q[kVecs];
#pragma GCC unroll 4
    for (int v = 0; v < kVecs; ++v) {
      const typename S::F x =
          Clamp<S>(t[v], store.out->act.lo, store.out->act.hi);
      q[v] = S::Round(S::Piecewise(*store.out->table, x) * inverse);
    }
    bytes.template Store<kOrder>(store.y + (first + i) * store.y_pixel, q);
  }
}

template <class S, LaneOrder kOrder, int kPixels, int kVecs>
STINT_INLINE void FinishPixels(const ConvS8Store& store, int64_t first,
                               const typename S::I (&sums)[kPixels][kVecs]) {
  if (store.out->act.curve == Curve::kNone) {
    return StorePixels<S, kOrder>(store, first, sums);
  }
  if constexpr (S::kHasPieces) {
    if (store.out->table != nullptr) {
      return StorePieces<S, kOrder>(store, first, sums);
    }
  }
  StoreCurved<S, kOrder>(store, first, sums);
}

}  // namespace stint
