#pragma once
// Pooling by its definition: on the image itself, and on one padded plane for
// the table's last row.

#include <limits>

#include "kernels/pool_f32/pool_f32.h"

namespace stint {

inline float ReferenceWindow(const PoolF32Args& args, const float* x, int64_t i,
                             int64_t j) {
  double sum = 0;
  float max = -std::numeric_limits<float>::infinity();
  int64_t count = 0;
  for (int64_t r = 0; r < args.h.kernel; ++r) {
    for (int64_t c = 0; c < args.w.kernel; ++c) {
      const int64_t y = i * args.h.stride - args.h.pad + r * args.h.dilation;
      const int64_t z = j * args.w.stride - args.w.pad + c * args.w.dilation;
      const bool padded =
          y < args.h.in + args.pad_bottom && z < args.w.in + args.pad_right;
      const bool inside = y >= 0 && y < args.h.in && z >= 0 && z < args.w.in;
      count += args.count_include_pad ? padded : inside;
      if (!inside) continue;
      const float v = x[y * args.w.in + z];
      sum += v;
      max = v > max ? v : max;
    }
  }
  return args.kind == PoolKind::kMax ? max : static_cast<float>(sum / count);
}

inline void ReferencePoolF32(const PoolF32Args& args) {
  float* y = args.y;
  for (int64_t p = 0; p < args.planes; ++p) {
    const float* x = args.x + p * args.h.in * args.w.in;
    for (int64_t i = 0; i < args.h.out; ++i) {
      for (int64_t j = 0; j < args.w.out; ++j) {
        *y++ = ReferenceWindow(args, x, i, j);
      }
    }
  }
}

template <bool kMax>
void ReferencePlane(const PoolPlane& pool) {
  const WindowAxis& h = pool.plane->h;
  const WindowAxis& w = pool.plane->w;
  for (int64_t i = 0; i < h.out; ++i) {
    for (int64_t j = 0; j < w.out; ++j) {
      const float* x = pool.x + i * h.stride * pool.plane->pitch + j * w.stride;
      double best = x[0];
      double sum = 0;
      for (int64_t t = 0; t < h.kernel * w.kernel; ++t) {
        const float v = x[t / w.kernel * h.dilation * pool.plane->pitch +
                          t % w.kernel * w.dilation];
        best = v > best ? v : best;
        sum += v;
      }
      pool.y[i * w.out + j] = static_cast<float>(
          kMax ? best : sum / (pool.count_h[i] * pool.count_w[j]));
    }
  }
}
inline void ReferenceMaxPlane(const PoolPlane& pool) {
  ReferencePlane<true>(pool);
}
inline void ReferenceAveragePlane(const PoolPlane& pool) {
  ReferencePlane<false>(pool);
}

inline float ReferenceSum(const float* x, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += x[i];
  return static_cast<float>(sum);
}

}  // namespace stint
