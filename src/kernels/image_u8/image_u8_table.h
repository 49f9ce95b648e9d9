#pragma once
// Loops over rows of image bytes, best first, the generic ones last. A byte q
// stands for scale * (q - zero). Rounding is to nearest, ties to even, results
// are clamped to a byte; every row of the table gives the same bytes.

#include <cstdint>
#include <span>

#include "core/platform/cpu_info.h"

namespace stint {

// y = round((x - zero) * scale) + out_zero.
struct ByteAffine {
  float scale = 1;
  int zero = 0;
  int out_zero = 0;
};

struct ImageU8Kernel {
  const char* name;
  Isa isa;
  // y[i] = max over `count` >= 1 taps of tap[i], i < n.
  void (*max)(const uint8_t* const* taps, int64_t count, int64_t n, uint8_t* y);
  // y[i] = round(scale * sum over taps of (tap[i] - zero)) + out_zero.
  void (*sum)(const uint8_t* const* taps, int64_t count, int64_t n,
              const ByteAffine& affine, uint8_t* y);
  // sums[i] = sum of x[p * n + i] over `pixels` pixels of n bytes.
  void (*add_pixels)(const uint8_t* x, int64_t pixels, int64_t n,
                     int32_t* sums);
  void (*requantize)(const uint8_t* x, int64_t n, const ByteAffine& affine,
                     uint8_t* y);
  // y = round((a - a.zero) * a.scale + (b - b.zero) * b.scale) + a.out_zero.
  void (*add)(const uint8_t* a, const uint8_t* b, int64_t n,
              const ByteAffine (&affine)[2], uint8_t* y);
  // y = round((x - zero) * gate[i]) + out_zero; the scale is not used.
  void (*gate)(const uint8_t* x, const float* gate, int64_t n,
               const ByteAffine& affine, uint8_t* y);
  // q = round(x * scale) + out_zero.
  void (*quantize)(const float* x, int64_t n, const ByteAffine& affine,
                   uint8_t* q);
  // x = (q - zero) * scale.
  void (*dequantize)(const uint8_t* q, int64_t n, const ByteAffine& affine,
                     float* x);
  // Widens [lo, hi] to hold all of x.
  void (*range)(const float* x, int64_t n, float* lo, float* hi);
};

std::span<const ImageU8Kernel> ImageU8Table();

// The best row that runs on a machine of level `cap`.
const ImageU8Kernel& PickImageU8(Isa cap);

}  // namespace stint
