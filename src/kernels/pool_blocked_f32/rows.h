#pragma once
// The pooling loops on blocked images, one source for every vector width V.

#include "kernels/pool_blocked_f32/pool_blocked_f32.h"
#include "kernels/pool_blocked_f32/windows.h"
#include "kernels/simd/generic.h"

namespace stint {

// The maximum or the sum of one window; its inputs lie in the image.
template <class V, int kBlock, bool kMax>
STINT_INLINE typename V::F PoolBlockedWindow(const PoolBlockedRow& row,
                                             WindowTaps rows, WindowTaps cols,
                                             int64_t at) {
  const WindowAxis& h = row.args->h;
  const WindowAxis& w = row.args->w;
  typename V::F best = V::Set1(kMax ? -__builtin_inff() : 0.0f);
  for (int64_t r = rows.begin; r < rows.end; ++r) {
    const float* x = row.x + at + r * h.dilation * w.in * kBlock;
    for (int64_t q = cols.begin; q < cols.end; ++q) {
      const typename V::F v = V::Load(x + q * w.dilation * kBlock);
      best = kMax ? V::Max(best, v) : best + v;
    }
  }
  return best;
}

template <class V, int kBlock, bool kMax>
void PoolBlockedRowWith(const PoolBlockedRow& row) {
  const PoolF32Args& args = *row.args;
  const WindowTaps rows = TapsWithin(args.h, row.row, 0, args.h.in);
  const int64_t count_h =
      CountOfWindow(args.h, row.row, args.count_include_pad, args.pad_bottom);
  const int64_t top = (row.row * args.h.stride - args.h.pad) * args.w.in;
  for (int64_t j = 0; j < args.w.out; ++j) {
    const WindowTaps cols = TapsWithin(args.w, j, 0, args.w.in);
    const int64_t at = (top + j * args.w.stride - args.w.pad) * kBlock;
    const int64_t count_w =
        CountOfWindow(args.w, j, args.count_include_pad, args.pad_right);
    const float scale = 1.0f / static_cast<float>(count_h * count_w);
    for (int64_t lane = 0; lane < kBlock; lane += V::kWidth) {
      const auto v =
          PoolBlockedWindow<V, kBlock, kMax>(row, rows, cols, at + lane);
      V::Store(row.y + j * kBlock + lane, kMax ? v : v * V::Set1(scale));
    }
  }
}

template <class V, int kBlock>
void MeanBlockedWith(const float* x, int64_t n, float* y) {
  const auto scale = V::Set1(1.0f / static_cast<float>(n));
  for (int64_t lane = 0; lane < kBlock; lane += V::kWidth) {
    // Four sums hide the latency of the additions.
    typename V::F sum[4] = {V::Set1(0), V::Set1(0), V::Set1(0), V::Set1(0)};
    int64_t p = 0;
    for (; p + 4 <= n; p += 4) {
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) {
        sum[i] = sum[i] + V::Load(x + (p + i) * kBlock + lane);
      }
    }
    for (; p < n; ++p) sum[0] = sum[0] + V::Load(x + p * kBlock + lane);
    V::Store(y + lane, ((sum[0] + sum[1]) + (sum[2] + sum[3])) * scale);
  }
}

}  // namespace stint
