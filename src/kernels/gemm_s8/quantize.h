#pragma once
// Floats to bytes on registers, one source for every instruction set S, which
// extends a float vector class by: Round (to int32, ties to even) and
// StoreBytes / StoreBytesN (the low byte of each lane).

#include <cstdint>
#include <cstring>

#include "kernels/gemm_s8/row_range.h"
#include "kernels/simd/math.h"

namespace stint {

// Bytes of round(x * inverse) + zero, clamped to [lo, lo + 255].
struct ByteScale {
  float inverse;
  int zero;
  int lo;
};

template <class S>
STINT_INLINE void StoreScaledBytes(const float* x, int64_t n,
                                   const ByteScale& scale, uint8_t* q) {
  using F = typename S::F;
  const F inverse = S::Set1(scale.inverse);
  // Clamped before the zero point is added: beyond it lies no exact float.
  const float lo = static_cast<float>(scale.lo - scale.zero);
  int64_t j = 0;
  for (; j + S::kWidth <= n; j += S::kWidth) {
    const F y = Clamp<S>(S::Load(x + j) * inverse, lo, lo + 255);
    S::StoreBytes(q + j, S::Round(y) + scale.zero);
  }
  if (j < n) {
    const F y = Clamp<S>(S::LoadN(x + j, n - j) * inverse, lo, lo + 255);
    S::StoreBytesN(q + j, S::Round(y) + scale.zero, n - j);
  }
}

template <class S>
STINT_INLINE void RequantizeRow(const float* x, int64_t n,
                                const Requantization& out, uint8_t* q) {
  StoreScaledBytes<S>(x, n, {1 / out.scale, out.zero, out.is_signed ? -128 : 0},
                      q);
}

// Row i of `args` in one piece, or in pieces of 64 bytes.
template <class S>
STINT_INLINE void StoreScaledRow(const QuantizeRowsArgs& args, int64_t i,
                                 const ByteScale& scale) {
  const float* x = args.x + i * args.ldx;
  uint8_t* q = args.q + i * args.ldq;
  if (args.piece_stride == 0) {
    StoreScaledBytes<S>(x, args.k, scale, q);
    std::memset(q + args.k, 0, static_cast<size_t>(args.ldq - args.k));
    return;
  }
  int64_t j = 0;
  for (; j + 64 <= args.k; j += 64, q += args.piece_stride) {
    StoreScaledBytes<S>(x + j, 64, scale, q);
  }
  if (j == args.k) return;
  StoreScaledBytes<S>(x + j, args.k - j, scale, q);
  std::memset(q + (args.k - j), 0, static_cast<size_t>(64 - (args.k - j)));
}

template <class S>
void QuantizeRowsWith(const QuantizeRowsArgs& args) {
  using F = typename S::F;
  for (int64_t i = 0; i < args.m; ++i) {
    const float* x = args.x + i * args.ldx;
    F lo = S::Set1(0);
    F hi = S::Set1(0);
    int64_t j = 0;
    for (; j + S::kWidth <= args.k; j += S::kWidth) {
      lo = S::Min(lo, S::Load(x + j));
      hi = S::Max(hi, S::Load(x + j));
    }
    if (j < args.k) {
      lo = S::Min(lo, S::LoadN(x + j, args.k - j));
      hi = S::Max(hi, S::LoadN(x + j, args.k - j));
    }
    const RowRange range =
        MakeRowRange(-MaxLane<S>(-lo), MaxLane<S>(hi), args.mode);
    args.scale[i] = range.scale;
    args.zero[i] = static_cast<uint8_t>(range.zero);
    StoreScaledRow<S>(args, i, {range.inverse, range.zero, 0});
  }
}

}  // namespace stint
