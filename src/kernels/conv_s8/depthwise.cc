#include "kernels/conv_s8/depthwise.h"

#include "core/platform/thread_pool.h"
#include "kernels/conv_s8/band.h"
#include "kernels/conv_s8/conv_s8_table.h"
#include "kernels/conv_s8/depthwise_plan.h"
#include "kernels/geometry/blocking.h"

namespace stint {
namespace {

// A band is read once and while it is in L1 or near it.
constexpr int64_t kBandBytes = 64 * 1024;

struct Plan {
  DepthwiseShifts shifts;
  int64_t chunk;          // channels handled at a time
  int64_t slots;          // channels rounded up to chunks
  int64_t weight_bytes;   // bias and multipliers follow
  int64_t cols;           // of a copied row, all columns that are read
  int64_t band;           // rows of outputs
  int64_t scratch_bytes;  // of one thread
};

Plan MakePlan(const ConvS8DepthwiseSet& set, const ConvF32Shape& s,
              int64_t x_pixel) {
  Plan p{};
  p.shifts = ShiftsFor(s.kernel_w, s.stride_w, s.dilation_w);
  p.chunk = 4 * set.width;
  p.slots = RoundUp(s.out_channels, p.chunk);
  p.weight_bytes = p.slots * s.kernel_h * p.shifts.quads * p.shifts.outputs * 4;
  p.cols =
      std::max(s.pad_left + s.in_w,
               ConvSpan(s.out_w, s.stride_w, 4 * p.shifts.quads, s.dilation_w));
  const int64_t row = p.cols * x_pixel;
  p.band = EvenBlock(s.out_h, std::max<int64_t>(1, kBandBytes / row), 1);
  // The last chunk of the last pixel may read past it.
  p.scratch_bytes = RoundUp(
      ConvSpan(p.band, s.stride_h, s.kernel_h, s.dilation_h) * row + p.chunk,
      64);
  return p;
}

// The place of a channel within its chunk: vectors hold groups of four as byte
// interleaving leaves them.
int64_t QuadSlot(int64_t channel, int64_t width) {
  const int64_t vec = channel / 4 % 4;
  const int64_t lane = channel / 16 * 4 + channel % 4;
  return vec * width + lane;
}

void PackChannel(const Plan& p, const ConvF32Shape& s, const int8_t* w,
                 int8_t* to) {
  const int64_t steps = p.shifts.quads * p.shifts.outputs;
  for (int64_t r = 0; r < s.kernel_h; ++r) {
    for (int64_t q = 0; q < p.shifts.quads; ++q) {
      for (int64_t o = 0; o < p.shifts.outputs; ++o) {
        int8_t* four =
            to + (r * steps + q * p.shifts.outputs + o) * p.chunk * 4;
        for (int64_t b = 0; b < 4; ++b) {
          const int64_t tap = 4 * q + b - o * s.stride_w;
          if (tap >= 0 && tap < s.kernel_w) four[b] = w[r * s.kernel_w + tap];
        }
      }
    }
  }
}

ConvS8DepthwiseRow MakeRow(const Plan& p, const ConvS8Args& args) {
  const ConvF32Shape& s = args.shape;
  ConvS8DepthwiseRow row{};
  row.x_pixel = args.x_pixel;
  row.x_line = s.dilation_h * p.cols * args.x_pixel;
  row.kernel_h = s.kernel_h;
  row.kernel_w = s.kernel_w;
  row.stride_w = s.stride_w;
  row.dilation_w = s.dilation_w;
  row.pixels = s.out_w;
  row.w = args.w;
  row.bias = reinterpret_cast<const int32_t*>(args.w + p.weight_bytes);
  row.store.multiplier =
      reinterpret_cast<const float*>(args.w + p.weight_bytes) + p.slots;
  row.store.channels = std::min(args.y_pixel, args.x_pixel);
  row.store.y_pixel = args.y_pixel;
  row.store.out = &args.out;
  return row;
}

// Rows [begin, end) of outputs, counted through all images.
void RunRows(const ConvS8Kernel& kernel, const ConvS8Args& args, const Plan& p,
             GemmRange rows, uint8_t* scratch) {
  const ConvF32Shape& s = args.shape;
  ConvS8DepthwiseRow row = MakeRow(p, args);
  for (int64_t r = rows.begin; r < rows.end;) {
    const int64_t first = r % s.out_h;
    const int64_t count = std::min({p.band, s.out_h - first, rows.end - r});
    const uint8_t* image = args.x + r / s.out_h * s.in_plane() * args.x_pixel;
    CopyBand(s, {image, args.x_pixel, args.x_zero, first, count, p.cols},
             scratch);
    for (int64_t i = 0; i < count; ++i) {
      const int64_t at = (r + i) * s.out_w * args.y_pixel;
      row.x = scratch + i * s.stride_h * p.cols * args.x_pixel;
      row.store.y = args.y + at;
      row.store.residual = args.residual ? args.residual + at : nullptr;
      kernel.depthwise->run(row);
    }
    r += count;
  }
}

}  // namespace

bool DepthwiseS8Supports(const ConvF32Shape& shape) {
  return shape.groups > 1 && shape.group_in() == 1 && shape.group_out() == 1;
}

int64_t DepthwiseS8PackedBytes(const ConvS8Kernel& kernel,
                               const ConvF32Shape& shape, int64_t x_pixel) {
  const Plan p = MakePlan(*kernel.depthwise, shape, x_pixel);
  return p.weight_bytes + p.slots * 8;
}

void DepthwiseS8Pack(const ConvS8Kernel& kernel, const ConvF32Shape& shape,
                     const ConvS8Weights& weights, int8_t* packed) {
  const Plan p = MakePlan(*kernel.depthwise, shape, weights.x_pixel);
  std::memset(packed, 0, static_cast<size_t>(p.weight_bytes + p.slots * 8));
  auto* bias = reinterpret_cast<int32_t*>(packed + p.weight_bytes);
  auto* multiplier =
      reinterpret_cast<float*>(packed + p.weight_bytes) + p.slots;
  const int64_t chunk_bytes = p.weight_bytes / (p.slots / p.chunk);
  for (int64_t c = 0; c < shape.out_channels; ++c) {
    const int64_t slot = QuadSlot(c % p.chunk, kernel.depthwise->width);
    const int64_t first = c / p.chunk * p.chunk;
    bias[first + slot] = weights.bias[c];
    multiplier[first + slot] = weights.multiplier[c];
    PackChannel(p, shape, weights.w + c * shape.taps(),
                packed + c / p.chunk * chunk_bytes + slot * 4);
  }
}

int64_t DepthwiseS8ScratchBytes(const ConvS8Kernel& kernel,
                                const ConvF32Shape& shape, int64_t x_pixel,
                                int threads) {
  return threads * MakePlan(*kernel.depthwise, shape, x_pixel).scratch_bytes;
}

void DepthwiseS8(const ConvS8Kernel& kernel, const ConvS8Args& args,
                 ThreadPool* pool) {
  const ConvF32Shape& s = args.shape;
  const Plan p = MakePlan(*kernel.depthwise, s, args.x_pixel);
  const int64_t rows = s.batch * s.out_h;
  const int threads = rows * s.out_w * p.slots * s.taps() < kMinParallelWork
                          ? 1
                          : pool->threads();
  const auto run = [&](int part) {
    if (part >= threads) return;
    RunRows(kernel, args, p, PartOf(rows, 1, part, threads),
            args.scratch + part * p.scratch_bytes);
  };
  if (threads == 1) return run(0);
  pool->ParallelParts(run);
}

}  // namespace stint
