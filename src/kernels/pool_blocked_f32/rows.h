#pragma once
// The pooling loops on blocked images, one source for every vector width V.

#include "kernels/pool_blocked_f32/pool_blocked_f32.h"
#include "kernels/pool_blocked_f32/windows.h"
#include "kernels/simd/bf16.h"

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

// Two numbers in bf16 share a lane. Compared in fp32, the upper one as it is
// with the lower cleared, the lower shifted up; a maximum is not rounded.
template <class V>
void MaxPoolNarrowRowWith(const PoolNarrowRow& row) {
  using F = typename V::F;
  using U = typename Bf16<V>::U;
  const WindowAxis& h = row.args->h;
  const WindowAxis& w = row.args->w;
  const WindowTaps rows = TapsWithin(h, row.row, 0, h.in);
  const int64_t top = (row.row * h.stride - h.pad) * w.in;
  for (int64_t j = 0; j < w.out; ++j) {
    const WindowTaps cols = TapsWithin(w, j, 0, w.in);
    const int64_t at = (top + j * w.stride - w.pad) * kPoolNarrowBlock;
    for (int64_t lane = 0; lane < kPoolNarrowBlock; lane += 2 * V::kWidth) {
      F low = V::Set1(-__builtin_inff());
      F high = low;
      for (int64_t r = rows.begin; r < rows.end; ++r) {
        const uint16_t* x =
            row.x + at + r * h.dilation * w.in * kPoolNarrowBlock + lane;
        for (int64_t q = cols.begin; q < cols.end; ++q) {
          U bits;
          std::memcpy(&bits, x + q * w.dilation * kPoolNarrowBlock,
                      sizeof(bits));
          low = V::Max(low, reinterpret_cast<F>(bits << 16));
          high = V::Max(high, reinterpret_cast<F>(bits & 0xffff0000u));
        }
      }
      const U both =
          (reinterpret_cast<U>(low) >> 16) | reinterpret_cast<U>(high);
      std::memcpy(row.y + j * kPoolNarrowBlock + lane, &both, sizeof(both));
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
