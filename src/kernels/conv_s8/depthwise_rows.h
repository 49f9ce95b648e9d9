#pragma once
// Rows of depthwise byte convolutions, one source for every instruction set S.
// Columns are taken by fours: their bytes, interleaved channel by channel, are
// what Dot multiplies, and serve several outputs at once, each with the weights
// shifted to its place and zeros around them.
//
// S has Quads (loads four columns of 4 * kWidth channels and interleaves them)
// and Widen (the same channels of one column as int32).

#include "kernels/conv_s8/depthwise_plan.h"
#include "kernels/conv_s8/finish.h"

namespace stint {

template <class S, int kOutputs>
struct DepthwiseS8Sums {
  using I = typename S::I;
  static constexpr int64_t kVectorBytes = S::kWidth * 4;
  I sums[kOutputs][4];

  STINT_INLINE void Begin(const int32_t* bias) {
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) {
      const I first = S::LoadSums(bias + v * S::kWidth);
#pragma GCC unroll 8
      for (int o = 0; o < kOutputs; ++o) sums[o][v] = first;
    }
  }

  STINT_INLINE void Add(int o, const typename S::A (&quads)[4],
                        const int8_t* w) {
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) {
      sums[o][v] = S::Dot(sums[o][v], quads[v], S::LoadB(w + v * kVectorBytes));
    }
  }
};

// kOutputs outputs from pixel `first` on, of one chunk of channels.
template <class S, class Plan, int kOutputs>
__attribute__((noinline)) void RunDepthwiseS8Group(
    const ConvS8DepthwiseRow& row, int64_t first) {
  constexpr int64_t kStep = DepthwiseS8Sums<S, 1>::kVectorBytes * 4;
  DepthwiseS8Sums<S, kOutputs> tile;
  tile.Begin(row.bias);
  const uint8_t* x = row.x + first * row.stride_w * row.x_pixel;
  const int8_t* w = row.w;
  for (int64_t r = 0; r < row.kernel_h; ++r, x += row.x_line) {
#pragma GCC unroll 4
    for (int q = 0; q < Plan::kQuads; ++q) {
      typename S::A quads[4];
      S::Quads(x + 4 * q * row.x_pixel, row.x_pixel, quads);
#pragma GCC unroll 8
      for (int o = 0; o < kOutputs; ++o) {
        if (Plan::Touches(q, o)) tile.Add(o, quads, w + o * kStep);
      }
      w += Plan::kOutputs * kStep;
    }
  }
  FinishPixels<S, LaneOrder::kQuads>(row.store, first, tile.sums);
}

// Any width and dilation: one output, columns `dilation_w` apart.
template <class S>
__attribute__((noinline)) void RunDepthwiseS8Any(const ConvS8DepthwiseRow& row,
                                                 int64_t pixel) {
  constexpr int64_t kStep = DepthwiseS8Sums<S, 1>::kVectorBytes * 4;
  DepthwiseS8Sums<S, 1> tile;
  tile.Begin(row.bias);
  const uint8_t* x = row.x + pixel * row.stride_w * row.x_pixel;
  const int64_t step = row.dilation_w * row.x_pixel;
  const int8_t* w = row.w;
  for (int64_t r = 0; r < row.kernel_h; ++r, x += row.x_line) {
    for (int64_t c = 0; c < row.kernel_w; c += 4, w += kStep) {
      typename S::A quads[4];
      S::Quads(x + c * step, step, quads);
      tile.Add(0, quads, w);
    }
  }
  FinishPixels<S, LaneOrder::kQuads>(row.store, pixel, tile.sums);
}

template <class S, class Plan>
STINT_INLINE void RunDepthwiseS8Plan(const ConvS8DepthwiseRow& row) {
  int64_t i = 0;
  for (; i + Plan::kOutputs <= row.pixels; i += Plan::kOutputs) {
    RunDepthwiseS8Group<S, Plan, Plan::kOutputs>(row, i);
  }
  for (; i < row.pixels; ++i) RunDepthwiseS8Group<S, Plan, 1>(row, i);
}

template <class S>
STINT_INLINE void RunDepthwiseS8Chunk(const ConvS8DepthwiseRow& row) {
  const auto is = [&](int64_t width, int64_t stride) {
    return row.kernel_w == width && row.stride_w == stride &&
           row.dilation_w == 1;
  };
  if (is(3, 1)) return RunDepthwiseS8Plan<S, DepthwisePlan<3, 1>>(row);
  if (is(3, 2)) return RunDepthwiseS8Plan<S, DepthwisePlan<3, 2>>(row);
  if (is(5, 1)) return RunDepthwiseS8Plan<S, DepthwisePlan<5, 1>>(row);
  if (is(5, 2)) return RunDepthwiseS8Plan<S, DepthwisePlan<5, 2>>(row);
  if (is(7, 1)) return RunDepthwiseS8Plan<S, DepthwisePlan<7, 1>>(row);
  if (is(7, 2)) return RunDepthwiseS8Plan<S, DepthwisePlan<7, 2>>(row);
  for (int64_t i = 0; i < row.pixels; ++i) RunDepthwiseS8Any<S>(row, i);
}

// All channels, 4 * kWidth at a time.
template <class S>
void RunDepthwiseS8(const ConvS8DepthwiseRow& row) {
  constexpr int64_t kChunk = 4 * S::kWidth;
  const DepthwiseShifts shifts =
      ShiftsFor(row.kernel_w, row.stride_w, row.dilation_w);
  const int64_t bytes =
      row.kernel_h * shifts.quads * shifts.outputs * kChunk * 4;
  ConvS8DepthwiseRow chunk = row;
  for (int64_t c = 0; c < row.store.channels; c += kChunk) {
    chunk.x = row.x + c;
    chunk.w = row.w + c / kChunk * bytes;
    chunk.bias = row.bias + c;
    chunk.store.multiplier = row.store.multiplier + c;
    chunk.store.y = row.store.y + c;
    if (row.store.residual) chunk.store.residual = row.store.residual + c;
    chunk.store.channels =
        row.store.channels - c < kChunk ? row.store.channels - c : kChunk;
    RunDepthwiseS8Chunk<S>(chunk);
  }
}

}  // namespace stint
