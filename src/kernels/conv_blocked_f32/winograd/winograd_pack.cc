#include <algorithm>
#include <cmath>

#include "core/base/float_bits.h"
#include "core/platform/thread_pool.h"
#include "kernels/conv_blocked_f32/conv_blocked_f32_table.h"
#include "kernels/conv_blocked_f32/winograd/winograd.h"

namespace stint {
namespace {

constexpr double kG2[4][3] = {
    {1, 0, 0}, {.5, .5, .5}, {.5, -.5, .5}, {0, 0, 1}};
constexpr double kG4[6][3] = {{1. / 4, 0, 0},
                              {-1. / 6, -1. / 6, -1. / 6},
                              {-1. / 6, 1. / 6, -1. / 6},
                              {1. / 24, 1. / 12, 1. / 6},
                              {1. / 24, -1. / 12, 1. / 6},
                              {0, 0, 1}};

// Element e of G * w * G^T for one 3 x 3 kernel, rounded once.
float Element(int m, int e, const float* w) {
  const int i = e / (m + 2), j = e % (m + 2);
  const double* left = m == 2 ? kG2[i] : kG4[i];
  const double* right = m == 2 ? kG2[j] : kG4[j];
  double sum = 0;
  for (int r = 0; r < 3; ++r) {
    for (int q = 0; q < 3; ++q) sum += left[r] * w[r * 3 + q] * right[q];
  }
  return static_cast<float>(sum);
}

// Calls put(index, element, 3 x 3 kernel or null past the last output) for
// every weight of [elements, out blocks, in_channels, block].
template <class Put>
void PackWith(const ConvBlockedF32Kernel& kernel, const ConvF32Shape& s,
              const float* w, ThreadPool* pool, Put put) {
  const int elements = (kernel.winograd->m + 2) * (kernel.winograd->m + 2);
  const int64_t block = kernel.block;
  const int64_t padded = RoundUp(s.out_channels, block);
  auto pack_output = [&](int64_t o, int64_t c) {
    const int64_t at = (o / block * s.in_channels + c) * block + o % block;
    const float* from =
        o < s.out_channels ? w + (o * s.in_channels + c) * 9 : nullptr;
    for (int e = 0; e < elements; ++e) {
      put(at + e * padded * s.in_channels, e, from);
    }
  };
  pool->ParallelFor(padded / block, 1, [&](int64_t begin, int64_t end) {
    for (int64_t c = 0; c < s.in_channels; ++c) {
      for (int64_t o = begin * block; o < end * block; ++o) pack_output(o, c);
    }
  });
}

}  // namespace

int64_t WinogradPackedBytes(const ConvBlockedF32Kernel& kernel,
                            const ConvF32Shape& s) {
  const int64_t t = kernel.winograd->m + 2;
  return t * t * RoundUp(s.out_channels, kernel.block) * s.in_channels *
         int64_t{sizeof(float)};
}

float WinogradPackNarrow(const ConvBlockedF32Kernel& kernel,
                         const ConvF32Shape& s, const float* w,
                         uint16_t* packed, ThreadPool* pool) {
  float largest = 0;
  for (int64_t i = 0; i < s.out_channels * s.in_channels * 9; ++i) {
    largest = std::max(largest, std::fabs(w[i]));
  }
  // No row of G sums to more than 1: nothing grows, and 2^15 is within fp16.
  int exponent = 0;
  std::frexp(largest, &exponent);
  exponent = std::clamp(15 - exponent, -100, 100);
  const float scale = std::ldexp(1.0f, exponent);
  PackWith(kernel, s, w, pool, [&](int64_t at, int e, const float* from) {
    float rounded[9] = {};
    for (int t = 0; from && t < 9; ++t) {
      rounded[t] = BFloat16ToFloat(FloatToBFloat16(from[t]));
    }
    packed[at] =
        FloatToFloat16(Element(kernel.winograd->m, e, rounded) * scale);
  });
  return 1 / scale;
}

void WinogradPack(const ConvBlockedF32Kernel& kernel, const ConvF32Shape& s,
                  const float* w, float* packed, ThreadPool* pool) {
  PackWith(kernel, s, w, pool, [&](int64_t at, int e, const float* from) {
    packed[at] = from ? Element(kernel.winograd->m, e, from) : 0;
  });
}

}  // namespace stint
