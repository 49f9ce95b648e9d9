#include "kernels/conv_f32/columns.h"

#include <algorithm>

#include "core/base/checked_math.h"
#include "core/platform/thread_pool.h"
#include "kernels/conv_f32/conv_f32_table.h"
#include "kernels/geometry/blocking.h"

namespace stint {
namespace {

// Columns gathered before weights pass over them. 384 KB leaves room for a
// block of weights in an L2 of 1 MB or more; a larger chunk reads the weights
// of a late layer fewer times.
constexpr int64_t kChunkBytes = 384 * 1024;

// How one thread walks the product.
struct Schedule {
  int64_t channels;  // input channels per block of k
  int64_t panels;    // column panels per chunk
  bool direct;       // the image is already a matrix of columns
};

Schedule MakeSchedule(const GemmF32Kernel& gemm, const ConvF32Shape& s) {
  const int64_t limit = std::max<int64_t>(1, kGemmBlockK / s.taps());
  Schedule schedule;
  schedule.channels = EvenBlock(s.group_in(), limit, 1);
  const int64_t panel_bytes =
      schedule.channels * s.taps() * gemm.tile_n * int64_t{sizeof(float)};
  const int64_t panels = CeilDiv(s.out_plane(), gemm.tile_n);
  schedule.panels =
      EvenBlock(panels, std::max<int64_t>(1, kChunkBytes / panel_bytes), 1);
  schedule.direct = s.taps() == 1 && s.stride_h == 1 && s.stride_w == 1 &&
                    s.pad_top == 0 && s.pad_left == 0 && s.in_h == s.out_h &&
                    s.in_w == s.out_w;
  return schedule;
}

int64_t SliceFloats(const GemmF32Kernel& gemm, const ConvF32Shape& s) {
  const Schedule schedule = MakeSchedule(gemm, s);
  return RoundUp(schedule.panels * schedule.channels * s.taps() * gemm.tile_n,
                 16);
}

// The outputs [begin, end) of one row whose source column lies in the image:
// 0 <= j * stride + offset < width.
GemmRange Inside(GemmRange j, int64_t stride, int64_t offset, int64_t width) {
  const int64_t first = offset >= 0 ? 0 : CeilDiv(-offset, stride);
  const int64_t last = width > offset ? CeilDiv(width - offset, stride) : 0;
  const int64_t begin = std::clamp(first, j.begin, j.end);
  return {begin, std::clamp(last, begin, j.end)};
}

void ZeroColumns(float* to, int64_t stride, int64_t rows, int64_t count) {
  if (count == 0) return;
  for (int64_t r = 0; r < rows; ++r) std::fill_n(to + r * stride, count, 0.0f);
}

// One block of input channels of one image and group.
struct Source {
  const ConvF32Shape* shape;
  CopyColumnsFn copy;
  const float* x;  // [channels, in_h, in_w]
  int64_t channels;
  int64_t tile_n;
};

// Outputs `cols` of output row `i` for one tap of all channels; `to` is the
// first column's place in that tap's first row of the panel.
void PackRun(const Source& source, int64_t i, GemmRange cols, int64_t tap,
             float* to) {
  const ConvF32Shape& s = *source.shape;
  const int64_t stride = s.taps() * source.tile_n;
  const int64_t y =
      i * s.stride_h - s.pad_top + tap / s.kernel_w * s.dilation_h;
  const int64_t offset = tap % s.kernel_w * s.dilation_w - s.pad_left;
  GemmRange in = Inside(cols, s.stride_w, offset, s.in_w);
  if (y < 0 || y >= s.in_h) in = {cols.end, cols.end};
  ZeroColumns(to, stride, source.channels, in.begin - cols.begin);
  if (in.begin < in.end) {
    source.copy({source.x + y * s.in_w + in.begin * s.stride_w + offset,
                 s.in_plane(), to + in.begin - cols.begin, stride,
                 source.channels, in.end - in.begin, s.stride_w});
  }
  ZeroColumns(to + in.end - cols.begin, stride, source.channels,
              cols.end - in.end);
}

// Fills panel [channels * taps, tile_n] with the columns of output pixels
// [begin, end).
void PackPanel(const Source& source, GemmRange pixels, float* panel) {
  const ConvF32Shape& s = *source.shape;
  const int64_t rows = source.channels * s.taps();
  for (int64_t tap = 0; tap < s.taps(); ++tap) {
    for (int64_t p = pixels.begin; p < pixels.end;) {
      const int64_t i = p / s.out_w;
      const int64_t j = p % s.out_w;
      const int64_t count = std::min(s.out_w - j, pixels.end - p);
      PackRun(source, i, {j, j + count}, tap,
              panel + tap * source.tile_n + p - pixels.begin);
      p += count;
    }
  }
  const int64_t used = pixels.end - pixels.begin;
  ZeroColumns(panel + used, source.tile_n, rows, source.tile_n - used);
}

// One thread's rows of one image and group over a chunk of its pixels.
struct Chunk {
  const ConvF32Kernel* kernel;
  const ConvF32Args* args;
  int64_t image;  // n * groups + g
  GemmRange rows;
  GemmRange pixels;
  float* scratch;
};

GemmF32Block MakeBlock(const Chunk& chunk, const Schedule& schedule,
                       int64_t channel) {
  const ConvF32Shape& s = chunk.args->shape;
  const int64_t group = chunk.image % s.groups;
  const int64_t first = group * s.group_out() + chunk.rows.begin;
  const int64_t k = s.group_in() * s.taps();
  const int64_t left = s.group_in() - channel;
  const int64_t output =
      (chunk.image * s.group_out() + chunk.rows.begin) * s.out_plane();
  return {.a = chunk.args->w + first * k + channel * s.taps(),
          .lda = k,
          .b = nullptr,
          .ldb = chunk.kernel->gemm->tile_n,
          .b_next = nullptr,
          .c = chunk.args->y + output,
          .ldc = s.out_plane(),
          .m = 0,
          .n = 0,
          .k = std::min(schedule.channels, left) * s.taps(),
          .accumulate = channel > 0,
          .finish = left <= schedule.channels,
          .alpha = 1,
          .bias_m = chunk.args->bias ? chunk.args->bias + first : nullptr,
          .bias_n = nullptr,
          .residual =
              chunk.args->residual ? chunk.args->residual + output : nullptr,
          .ldr = s.out_plane(),
          .act = chunk.args->act};
}

// All rows of the chunk times one panel of columns.
void MultiplyPanel(const Chunk& chunk, GemmF32Block block, GemmRange rows) {
  block.m = rows.end - rows.begin;
  block.a += rows.begin * block.lda;
  block.c += rows.begin * block.ldc;
  if (block.bias_m) block.bias_m += rows.begin;
  if (block.residual) block.residual += rows.begin * block.ldr;
  chunk.kernel->gemm->run(block);
}

// One block of k of a chunk: gather its panels, then pass the weights over
// them, a block of rows at a time.
void RunBlock(const Chunk& chunk, const Schedule& schedule, int64_t channel) {
  const ConvF32Shape& s = chunk.args->shape;
  const int64_t tile = chunk.kernel->gemm->tile_n;
  GemmF32Block block = MakeBlock(chunk, schedule, channel);
  const float* x =
      chunk.args->x + (chunk.image * s.group_in() + channel) * s.in_plane();
  const Source source{&s, chunk.kernel->copy, x, block.k / s.taps(), tile};
  const int64_t total = chunk.rows.end - chunk.rows.begin;
  const int64_t step = EvenBlock(total, kGemmBlockM, 1);
  for (int64_t row = 0; row < total; row += step) {
    float* panel = chunk.scratch;
    for (int64_t p = chunk.pixels.begin; p < chunk.pixels.end; p += tile) {
      const int64_t end = std::min(p + tile, chunk.pixels.end);
      const bool direct = schedule.direct && end - p == tile;
      if (!direct && row == 0) PackPanel(source, {p, end}, panel);
      block.b = direct ? x + p : panel;
      block.ldb = direct ? s.in_plane() : tile;
      block.n = end - p;
      GemmF32Block rows = block;
      rows.c += p;
      if (rows.residual) rows.residual += p;
      MultiplyPanel(chunk, rows, {row, std::min(row + step, total)});
      panel += block.k * tile;
    }
  }
}

// One thread's share: rows of every image and group, and the panels [begin,
// end) counted through all of them.
void RunShare(Chunk chunk, GemmRange panels) {
  const ConvF32Shape& s = chunk.args->shape;
  const int64_t tile = chunk.kernel->gemm->tile_n;
  const Schedule schedule = MakeSchedule(*chunk.kernel->gemm, s);
  const int64_t per_image = CeilDiv(s.out_plane(), tile);
  for (int64_t p = panels.begin; p < panels.end;) {
    chunk.image = p / per_image;
    const int64_t first = p % per_image;
    const int64_t count =
        std::min({schedule.panels, per_image - first, panels.end - p});
    chunk.pixels = {first * tile,
                    std::min((first + count) * tile, s.out_plane())};
    for (int64_t c = 0; c < s.group_in(); c += schedule.channels) {
      RunBlock(chunk, schedule, c);
    }
    p += count;
  }
}

}  // namespace

int64_t ColumnsConvScratchBytes(const ConvF32Kernel& kernel,
                                const ConvF32Shape& shape, int threads) {
  return threads * SliceFloats(*kernel.gemm, shape) * int64_t{sizeof(float)};
}

void ColumnsConv(const ConvF32Kernel& kernel, const ConvF32Args& args,
                 ThreadPool* pool) {
  const ConvF32Shape& s = args.shape;
  const int64_t tile_m = kernel.gemm->tile_m;
  const int64_t panels =
      CeilDiv(s.out_plane(), kernel.gemm->tile_n) * s.batch * s.groups;
  const int64_t work =
      panels * kernel.gemm->tile_n * s.group_out() * s.group_in() * s.taps();
  const int threads = work < kMinParallelWork ? 1 : pool->threads();
  const GemmGrid grid =
      SplitGemm(CeilDiv(s.group_out(), tile_m), panels, threads);
  const int64_t slice = SliceFloats(*kernel.gemm, s);
  auto share = [&](int part) {
    const GemmRange rows =
        PartOf(s.group_out(), tile_m, part / grid.cols, grid.rows);
    if (rows.begin == rows.end) return;
    RunShare({&kernel, &args, 0, rows, {}, args.scratch + part * slice},
             PartOf(panels, 1, part % grid.cols, grid.cols));
  };
  pool->ParallelFor(grid.rows * grid.cols, 1, [&](int64_t begin, int64_t end) {
    for (int64_t part = begin; part < end; ++part)
      share(static_cast<int>(part));
  });
}

}  // namespace stint
