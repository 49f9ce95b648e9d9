#pragma once
// The loops of image_u8_table.h in plain C++, which compilers vectorize. Isa is
// any type of the including file, so that each file has its own instances.

#include <cstdint>

#include "kernels/image_u8/image_u8_table.h"

namespace stint {

template <class Isa>
struct ImageU8Loops {
  // Bytes handled at a time, in registers.
  static constexpr int64_t kChunk = 64;

  // x is within 2^22: adding 1.5 * 2^23 rounds it.
  static inline float Round(float x) {
    const float magic = 12582912.0f;
    return (x + magic) - magic;
  }
  static inline uint8_t ToByte(float x, float zero) {
    x = x < -1024.0f ? -1024.0f : x;
    x = x > 1024.0f ? 1024.0f : x;
    float q = Round(x) + zero;
    q = q < 0.0f ? 0.0f : q;
    q = q > 255.0f ? 255.0f : q;
    return static_cast<uint8_t>(static_cast<int32_t>(q));
  }

  static void Max(const uint8_t* const* taps, int64_t count, int64_t n,
                  uint8_t* __restrict y) {
    for (int64_t i = 0; i < n; ++i) y[i] = taps[0][i];
    for (int64_t t = 1; t < count; ++t) {
      const uint8_t* x = taps[t];
      for (int64_t i = 0; i < n; ++i) y[i] = y[i] > x[i] ? y[i] : x[i];
    }
  }

  static void Sum(const uint8_t* const* taps, int64_t count, int64_t n,
                  const ByteAffine& affine, uint8_t* __restrict y) {
    const float scale = affine.scale;
    const float zero = static_cast<float>(affine.out_zero);
    for (int64_t first = 0; first < n; first += kChunk) {
      const int64_t m = n - first < kChunk ? n - first : kChunk;
      int32_t sums[kChunk];
      for (int64_t i = 0; i < m; ++i) {
        sums[i] = -static_cast<int32_t>(count) * affine.zero;
      }
      for (int64_t t = 0; t < count; ++t) {
        const uint8_t* x = taps[t] + first;
        for (int64_t i = 0; i < m; ++i) sums[i] += x[i];
      }
      for (int64_t i = 0; i < m; ++i) {
        y[first + i] = ToByte(static_cast<float>(sums[i]) * scale, zero);
      }
    }
  }

  static void AddPixels(const uint8_t* x, int64_t pixels, int64_t n,
                        int32_t* sums) {
    for (int64_t first = 0; first < n; first += kChunk) {
      const int64_t m = n - first < kChunk ? n - first : kChunk;
      int32_t chunk[kChunk] = {};
      const uint8_t* from = x + first;
      if (m == kChunk) {
        for (int64_t p = 0; p < pixels; ++p, from += n) {
          for (int64_t i = 0; i < kChunk; ++i) chunk[i] += from[i];
        }
      } else {
        for (int64_t p = 0; p < pixels; ++p, from += n) {
          for (int64_t i = 0; i < m; ++i) chunk[i] += from[i];
        }
      }
      for (int64_t i = 0; i < m; ++i) sums[first + i] += chunk[i];
    }
  }

  static void Requantize(const uint8_t* __restrict x, int64_t n,
                         const ByteAffine& affine, uint8_t* __restrict y) {
    const float scale = affine.scale;
    const int32_t from = affine.zero;
    const float zero = static_cast<float>(affine.out_zero);
    for (int64_t i = 0; i < n; ++i) {
      y[i] = ToByte(static_cast<float>(x[i] - from) * scale, zero);
    }
  }

  static void Add(const uint8_t* __restrict a, const uint8_t* __restrict b,
                  int64_t n, const ByteAffine (&affine)[2],
                  uint8_t* __restrict y) {
    const float a_scale = affine[0].scale, b_scale = affine[1].scale;
    const int32_t a_zero = affine[0].zero, b_zero = affine[1].zero;
    const float zero = static_cast<float>(affine[0].out_zero);
    for (int64_t i = 0; i < n; ++i) {
      const float left = static_cast<float>(a[i] - a_zero) * a_scale;
      const float right = static_cast<float>(b[i] - b_zero) * b_scale;
      y[i] = ToByte(left + right, zero);
    }
  }

  static void Gate(const uint8_t* __restrict x, const float* __restrict gate,
                   int64_t n, const ByteAffine& affine,
                   uint8_t* __restrict y) {
    const int32_t from = affine.zero;
    const float zero = static_cast<float>(affine.out_zero);
    for (int64_t i = 0; i < n; ++i) {
      y[i] = ToByte(static_cast<float>(x[i] - from) * gate[i], zero);
    }
  }

  static void Quantize(const float* __restrict x, int64_t n,
                       const ByteAffine& affine, uint8_t* __restrict q) {
    const float scale = affine.scale;
    const float zero = static_cast<float>(affine.out_zero);
    for (int64_t i = 0; i < n; ++i) q[i] = ToByte(x[i] * scale, zero);
  }

  static void Dequantize(const uint8_t* __restrict q, int64_t n,
                         const ByteAffine& affine, float* __restrict x) {
    const float scale = affine.scale;
    const int32_t zero = affine.zero;
    for (int64_t i = 0; i < n; ++i) {
      x[i] = static_cast<float>(q[i] - zero) * scale;
    }
  }

  static constexpr ImageU8Kernel Row(const char* name, stint::Isa isa) {
    return {name,       isa, Max,  Sum,      AddPixels,
            Requantize, Add, Gate, Quantize, Dequantize};
  }
};

}  // namespace stint
