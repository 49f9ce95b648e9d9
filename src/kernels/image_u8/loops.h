#pragma once
// The loops of image_u8_table.h, one source for every instruction set S of
// gemm_s8 (lanes_*.h).

#include <cstdint>
#include <cstring>

#include "kernels/image_u8/image_u8_table.h"
#include "kernels/simd/math.h"

namespace stint {

template <class S>
struct ImageU8Loops {
  using F = typename S::F;
  using I = typename S::I;
  static constexpr int kWidth = S::kWidth;
  typedef uint8_t Sixteen __attribute__((vector_size(16)));

  // Bytes of round(x) + zero.
  static STINT_INLINE void Store(F x, int zero, int64_t n, uint8_t* y) {
    const float lo = static_cast<float>(-zero);
    const I q = S::Round(Clamp<S>(x, lo, lo + 255)) + zero;
    if (n >= kWidth) {
      S::StoreBytes(y, q);
    } else {
      S::StoreBytesN(y, q, n);
    }
  }
  // Bytes past the n-th are not read.
  static STINT_INLINE I Load(const uint8_t* x, int64_t n) {
    if (n >= kWidth) return S::LoadBytes(x);
    uint8_t bytes[kWidth] = {};
    std::memcpy(bytes, x, static_cast<size_t>(n));
    return S::LoadBytes(bytes);
  }
  static STINT_INLINE F LoadFloats(const float* x, int64_t n) {
    return n >= kWidth ? S::Load(x) : S::LoadN(x, n);
  }

  static void Max(const uint8_t* const* taps, int64_t count, int64_t n,
                  uint8_t* y) {
    int64_t i = 0;
    for (; i + 16 <= n; i += 16) {
      Sixteen most;
      std::memcpy(&most, taps[0] + i, 16);
      for (int64_t t = 1; t < count; ++t) {
        Sixteen x;
        std::memcpy(&x, taps[t] + i, 16);
        most = most > x ? most : x;
      }
      std::memcpy(y + i, &most, 16);
    }
    for (; i < n; ++i) {
      uint8_t most = taps[0][i];
      for (int64_t t = 1; t < count; ++t) {
        most = taps[t][i] > most ? taps[t][i] : most;
      }
      y[i] = most;
    }
  }

  static void Sum(const uint8_t* const* taps, int64_t count, int64_t n,
                  const ByteAffine& affine, uint8_t* y) {
    const F scale = S::Set1(affine.scale);
    for (int64_t i = 0; i < n; i += kWidth) {
      I sums = I{} - static_cast<int32_t>(count) * affine.zero;
      for (int64_t t = 0; t < count; ++t) sums += Load(taps[t] + i, n - i);
      Store(S::ToFloat(sums) * scale, affine.out_zero, n - i, y + i);
    }
  }

  static void AddPixels(const uint8_t* x, int64_t pixels, int64_t n,
                        int32_t* sums) {
    int64_t i = 0;
    for (; i + 4 * kWidth <= n; i += 4 * kWidth) {
      I four[4] = {};
      for (int64_t p = 0; p < pixels; ++p) {
#pragma GCC unroll 4
        for (int v = 0; v < 4; ++v) {
          four[v] += S::LoadBytes(x + p * n + i + v * kWidth);
        }
      }
      std::memcpy(sums + i, four, sizeof(four));
    }
    for (; i < n; i += kWidth) {
      I sum = {};
      for (int64_t p = 0; p < pixels; ++p) sum += Load(x + p * n + i, n - i);
      const int64_t left = n - i < kWidth ? n - i : kWidth;
      std::memcpy(sums + i, &sum, static_cast<size_t>(left) * sizeof(int32_t));
    }
  }

  static void Requantize(const uint8_t* x, int64_t n, const ByteAffine& affine,
                         uint8_t* y) {
    const F scale = S::Set1(affine.scale);
    for (int64_t i = 0; i < n; i += kWidth) {
      const I q = Load(x + i, n - i) - affine.zero;
      Store(S::ToFloat(q) * scale, affine.out_zero, n - i, y + i);
    }
  }

  static void Add(const uint8_t* a, const uint8_t* b, int64_t n,
                  const ByteAffine (&affine)[2], uint8_t* y) {
    const F a_scale = S::Set1(affine[0].scale);
    const F b_scale = S::Set1(affine[1].scale);
    for (int64_t i = 0; i < n; i += kWidth) {
      const F left = S::ToFloat(Load(a + i, n - i) - affine[0].zero) * a_scale;
      const F right = S::ToFloat(Load(b + i, n - i) - affine[1].zero) * b_scale;
      Store(left + right, affine[0].out_zero, n - i, y + i);
    }
  }

  static void Gate(const uint8_t* x, const float* gate, int64_t n,
                   const ByteAffine& affine, uint8_t* y) {
    for (int64_t i = 0; i < n; i += kWidth) {
      const I q = Load(x + i, n - i) - affine.zero;
      Store(S::ToFloat(q) * LoadFloats(gate + i, n - i), affine.out_zero, n - i,
            y + i);
    }
  }

  static void Quantize(const float* x, int64_t n, const ByteAffine& affine,
                       uint8_t* q) {
    const F scale = S::Set1(affine.scale);
    for (int64_t i = 0; i < n; i += kWidth) {
      Store(LoadFloats(x + i, n - i) * scale, affine.out_zero, n - i, q + i);
    }
  }

  static void Dequantize(const uint8_t* q, int64_t n, const ByteAffine& affine,
                         float* x) {
    const F scale = S::Set1(affine.scale);
    for (int64_t i = 0; i < n; i += kWidth) {
      const F y = S::ToFloat(Load(q + i, n - i) - affine.zero) * scale;
      if (n - i >= kWidth) {
        S::Store(x + i, y);
      } else {
        S::StoreN(x + i, y, n - i);
      }
    }
  }

  static void Range(const float* x, int64_t n, float* lo, float* hi) {
    F least = S::Set1(*lo);
    F most = S::Set1(*hi);
    int64_t i = 0;
    for (; i + kWidth <= n; i += kWidth) {
      least = S::Min(least, S::Load(x + i));
      most = S::Max(most, S::Load(x + i));
    }
    *lo = -MaxLane<S>(-least);
    *hi = MaxLane<S>(most);
    for (; i < n; ++i) {
      *lo = x[i] < *lo ? x[i] : *lo;
      *hi = x[i] > *hi ? x[i] : *hi;
    }
  }

  static constexpr ImageU8Kernel Row(const char* name, Isa isa) {
    return {name, isa,  Max,      Sum,        AddPixels, Requantize,
            Add,  Gate, Quantize, Dequantize, Range};
  }
};

}  // namespace stint
