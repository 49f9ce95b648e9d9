#include <algorithm>

#include "core/platform/thread_pool.h"
#include "kernels/conv_blocked_f32/conv_blocked_f32_table.h"
#include "kernels/conv_blocked_f32/winograd.h"

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

// Element (i, j) of G * w * G^T for one 3 x 3 kernel, rounded once.
float Element(int m, int i, int j, const float* w) {
  const double* left = m == 2 ? kG2[i] : kG4[i];
  const double* right = m == 2 ? kG2[j] : kG4[j];
  double sum = 0;
  for (int r = 0; r < 3; ++r) {
    for (int q = 0; q < 3; ++q) sum += left[r] * w[r * 3 + q] * right[q];
  }
  return static_cast<float>(sum);
}

}  // namespace

int64_t WinogradPackedBytes(const ConvBlockedF32Kernel& kernel,
                            const ConvF32Shape& s) {
  const int64_t t = kernel.winograd->m + 2;
  return t * t * RoundUp(s.out_channels, kernel.block) * s.in_channels *
         int64_t{sizeof(float)};
}

// [elements, out blocks, in_channels, block].
void WinogradPack(const ConvBlockedF32Kernel& kernel, const ConvF32Shape& s,
                  const float* w, float* packed, ThreadPool* pool) {
  const int m = kernel.winograd->m;
  const int t = m + 2;
  const int64_t block = kernel.block;
  const int64_t padded = RoundUp(s.out_channels, block);
  auto pack_output = [&](int64_t o, int64_t c) {
    float* to = packed + (o / block * s.in_channels + c) * block + o % block;
    const float* from = w + (o * s.in_channels + c) * 9;
    for (int e = 0; e < t * t; ++e) {
      to[e * padded * s.in_channels] =
          o < s.out_channels ? Element(m, e / t, e % t, from) : 0;
    }
  };
  pool->ParallelFor(padded / block, 1, [&](int64_t begin, int64_t end) {
    for (int64_t c = 0; c < s.in_channels; ++c) {
      for (int64_t o = begin * block; o < end * block; ++o) pack_output(o, c);
    }
  });
}

}  // namespace stint
