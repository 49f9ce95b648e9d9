#include "kernels/conv_blocked_f32/direct/direct.h"

#include <algorithm>

#include "core/platform/thread_pool.h"
#include "kernels/conv_blocked_f32/conv_blocked_f32_table.h"
#include "kernels/conv_blocked_f32/direct/direct_schedule.h"
#include "kernels/conv_blocked_f32/pass_weights.h"
#include "kernels/geometry/padded_lanes.h"

namespace stint {
namespace {

bool Plain(const ConvBlockedF32Kernel& kernel) {
  return kernel.input == ImageLayout::kPlain;
}

DirectSchedule ScheduleOf(const ConvBlockedF32Kernel& kernel,
                          const ConvF32Shape& shape) {
  return MakeDirectSchedule(*kernel.tiles, Plain(kernel), shape,
                            kernel.schedule);
}

// One thread's share of one image and group.
struct Share {
  const ConvBlockedF32Kernel* kernel;
  const ConvBlockedF32Args* args;
  const DirectSchedule* schedule;
  int64_t image;  // n * groups + g
  GemmRange blocks;
  GemmRange rows;  // one band
  float* scratch;
  float* panel;  // where narrow weights are widened
};

// What the windows of a band read: row r of outputs begins at x + r * row.
struct View {
  const float* x;
  int64_t row;
  int64_t plane;
};

// Every stride-th pixel of an image row, zeros outside the image. kLanes is
// known so that a pixel is a few moves and not a call.
template <int kLanes>
void SampleRow(const ConvF32Shape& s, const float* from, float* to) {
  for (int64_t j = 0; j < s.out_w; ++j, to += kLanes) {
    const int64_t z = j * s.stride_w - s.pad_left;
    if (z >= 0 && z < s.in_w) {
      std::copy_n(from + z * kLanes, kLanes, to);
    } else {
      std::fill_n(to, kLanes, 0.0f);
    }
  }
}

// Copies image row `y` into a row of the band: sampled, or whole with zeros
// around it.
void CopyRow(const DirectSchedule& d, const ConvF32Shape& s, const float* x,
             int64_t y, float* to) {
  const int64_t lanes = d.lanes;
  if (y < 0 || y >= s.in_h) {
    std::fill_n(to, d.pitch * lanes, 0.0f);
    return;
  }
  const float* from = x + y * s.in_w * lanes;
  if (d.sample) {
    return lanes == 16  ? SampleRow<16>(s, from, to)
           : lanes == 8 ? SampleRow<8>(s, from, to)
                        : SampleRow<1>(s, from, to);
  }
  const int64_t left = std::min(s.pad_left, d.pitch);
  const int64_t cols = std::min(d.pitch - left, s.in_w);
  std::fill_n(to, left * lanes, 0.0f);
  std::copy_n(from, cols * lanes, to + left * lanes);
  std::fill_n(to + (left + cols) * lanes, (d.pitch - left - cols) * lanes,
              0.0f);
}

View CopyBand(const Share& share, const float* x) {
  const DirectSchedule& d = *share.schedule;
  const ConvF32Shape& s = share.args->shape;
  const int64_t row = d.pitch * d.lanes;
  const int64_t plane = d.band_in * row;
  const int64_t used =
      d.band_in - (d.band - (share.rows.end - share.rows.begin)) *
                      (d.sample ? 1 : s.stride_h);
  for (int64_t i = 0; i < d.planes; ++i) {
    for (int64_t r = 0; r < used; ++r) {
      const int64_t y = share.rows.begin * s.stride_h - s.pad_top +
                        r * (d.sample ? s.stride_h : 1);
      CopyRow(d, s, x + i * s.in_plane() * d.lanes, y,
              share.scratch + i * plane + r * row);
    }
  }
  return {share.scratch, d.sample ? row : s.stride_h * row, plane};
}

View ViewOf(const Share& share) {
  const DirectSchedule& d = *share.schedule;
  const ConvF32Shape& s = share.args->shape;
  // Planes of all groups lie one after the other; a plain x has one group.
  const float* x =
      share.args->x + share.image * d.planes * s.in_plane() * d.lanes;
  if (d.copy) return CopyBand(share, x);
  const int64_t row = (d.flat ? d.cols : s.stride_h * s.in_w) * d.lanes;
  return {x + share.rows.begin * row, row, s.in_plane() * d.lanes};
}

ConvTiles MakeTiles(const Share& share, const View& view, GemmRange blocks) {
  const DirectSchedule& d = *share.schedule;
  const ConvF32Shape& s = share.args->shape;
  const int64_t block = share.kernel->block;
  ConvTiles t{};
  t.x_pixel = (d.sample || d.flat ? 1 : s.stride_w) * d.lanes;
  t.x_step[0] = view.plane;
  t.x_step[1] = s.dilation_h * d.pitch * d.lanes;
  t.x_step[2] = s.dilation_w * d.lanes;
  // Columns of a plain window lie together as channels of a block do.
  const bool row_wise = d.lanes == 1 && s.dilation_w == 1;
  t.count[1] = s.kernel_h;
  t.count[2] = row_wise ? 1 : s.kernel_w;
  t.inner = row_wise ? s.kernel_w : d.lanes;
  t.y_block = s.out_plane() * block;
  t.tile = d.tile;
  t.blocks = blocks.end - blocks.begin;
  const int64_t first = share.image % s.groups * d.out_blocks + blocks.begin;
  t.bias = share.args->bias ? share.args->bias + first * block : nullptr;
  t.act = share.args->act;
  return t;
}

// One pass over the rows of a band: some planes of x times a group of output
// blocks.
struct Pass {
  GemmRange planes;
  ConvNextWeights next;
};

void RunPass(const Share& share, const View& view, const Pass& pass,
             ConvTiles t) {
  const DirectSchedule& d = *share.schedule;
  const ConvF32Shape& s = share.args->shape;
  const int64_t block = share.kernel->block;
  const bool last = pass.planes.end == d.planes;
  t.count[0] = pass.planes.end - pass.planes.begin;
  t.inner_last =
      last && d.lanes > 1 ? s.group_in() - (d.planes - 1) * d.lanes : t.inner;
  t.steps =
      ((t.count[0] - 1) * t.inner + t.inner_last) * t.count[1] * t.count[2];
  t.accumulate = pass.planes.begin > 0;
  t.finish = last;
  const float* x = view.x + pass.planes.begin * view.plane;
  float* y = t.y;
  const float* residual = t.residual;
  const int64_t rows = share.rows.end - share.rows.begin;
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t row = share.rows.begin + r;
    t.x = x + r * view.row;
    t.y = y + row * d.cols * block;
    t.residual = residual ? residual + row * d.cols * block : nullptr;
    t.pixels = std::min(d.cols, s.out_plane() - row * d.cols);
    FetchNext(pass.next, r, rows, &t);
    share.kernel->tiles->run(t);
  }
}

void ClearBand(const Share& share) {
  const ConvF32Shape& s = share.args->shape;
  const DirectSchedule& d = *share.schedule;
  const int64_t block = share.kernel->block;
  const int64_t keep = LanesToKeep(s.out_channels, block, share.args->act);
  if (keep == block || share.blocks.end < d.out_blocks) return;
  const int64_t begin = share.rows.begin * d.cols;
  const int64_t end = std::min(share.rows.end * d.cols, s.out_plane());
  const int64_t last = (share.image + 1) * d.out_blocks - 1;
  ClearLanes(share.args->y + (last * s.out_plane() + begin) * block,
             end - begin, block, keep);
}

// The weights of planes [begin, ...) of a pass, of output blocks from `first`.
ConvPassWeights WeightsOf(const Share& share, int64_t first, int64_t begin,
                          int64_t blocks) {
  const DirectSchedule& d = *share.schedule;
  const ConvF32Shape& s = share.args->shape;
  const int64_t block = share.kernel->block;
  const int64_t stride = s.group_in() * s.taps() * block;
  const int64_t plane = d.lanes * s.taps() * block;
  return {first * stride + begin * plane, stride, blocks,
          std::min(d.chunk * plane, stride - begin * plane)};
}

// All passes of a group of output blocks over a band.
void RunBlocks(const Share& share, const View& view, GemmRange blocks) {
  const DirectSchedule& d = *share.schedule;
  const ConvBlockedF32Args& args = *share.args;
  const ConvF32Shape& s = args.shape;
  ConvTiles t = MakeTiles(share, view, blocks);
  const int64_t first = share.image % s.groups * d.out_blocks + blocks.begin;
  const int64_t at = (share.image * d.out_blocks + blocks.begin) * t.y_block;
  t.y = args.y + at;
  t.residual = args.residual ? args.residual + at : nullptr;
  for (int64_t i = 0; i < d.planes; i += d.chunk) {
    const int64_t end = std::min(i + d.chunk, d.planes);
    SetPassWeights(args, WeightsOf(share, first, i, t.blocks), share.panel, &t);
    Pass pass{{i, end}, {}};
    if (end < d.planes) {
      pass.next = NextPassWeights(args, WeightsOf(share, first, end, t.blocks));
    } else if (blocks.end < share.blocks.end) {
      pass.next = NextPassWeights(
          args, WeightsOf(share, first + t.blocks, 0, t.blocks));
    }
    RunPass(share, view, pass, t);
  }
}

// All output blocks of the rows of `share`, which are some of a band.
void RunRows(const Share& share, const View& view) {
  const DirectSchedule& d = *share.schedule;
  const int64_t blocks = share.blocks.end - share.blocks.begin;
  // Tiles of equal width, rather than a last one of a single block.
  const int64_t tiles = CeilDiv(blocks, d.blocks);
  for (int64_t i = 0; i < tiles; ++i) {
    RunBlocks(share, view,
              {share.blocks.begin + blocks * i / tiles,
               share.blocks.begin + blocks * (i + 1) / tiles});
  }
}

void RunBand(const Share& share) {
  View view = ViewOf(share);
  if (share.kernel->schedule.row_first == 0) {
    RunRows(share, view);
  } else {
    Share one = share;
    for (int64_t r = share.rows.begin; r < share.rows.end; ++r) {
      one.rows = {r, r + 1};
      RunRows(one, view);
      view.x += view.row;
    }
  }
  ClearBand(share);
}

// Rows [begin, end) counted through all images.
void RunShare(Share share, GemmRange rows) {
  const DirectSchedule& d = *share.schedule;
  const int64_t groups = share.args->shape.groups;
  for (int64_t r = rows.begin; r < rows.end;) {
    const int64_t first = r % d.rows;
    const int64_t count = std::min({d.band, d.rows - first, rows.end - r});
    share.rows = {first, first + count};
    for (int64_t g = 0; g < groups; ++g) {
      share.image = r / d.rows * groups + g;
      RunBand(share);
    }
    r += count;
  }
}

}  // namespace

bool DirectSupports(const ConvBlockedF32Kernel& kernel,
                    const ConvF32Shape& shape) {
  return shape.groups == 1 || (shape.group_in() % kernel.block == 0 &&
                               shape.group_out() % kernel.block == 0);
}

bool PointwiseSupports(const ConvBlockedF32Kernel& kernel,
                       const ConvF32Shape& shape) {
  return shape.taps() == 1 && DirectSupports(kernel, shape);
}

bool FirstSupports(const ConvBlockedF32Kernel&, const ConvF32Shape& shape) {
  return shape.groups == 1;
}

int64_t DirectScratchBytes(const ConvBlockedF32Kernel& kernel,
                           const ConvF32Shape& shape, int threads) {
  return threads * ScheduleOf(kernel, shape).Scratch() * int64_t{sizeof(float)};
}

int64_t DirectPanelBytes(const ConvBlockedF32Kernel& kernel,
                         const ConvF32Shape& shape, int threads) {
  return threads * ScheduleOf(kernel, shape).Panel(shape, kernel.block) *
         int64_t{sizeof(float)};
}

void DirectConv(const ConvBlockedF32Kernel& kernel,
                const ConvBlockedF32Args& args, ThreadPool* pool) {
  const ConvF32Shape& s = args.shape;
  const DirectSchedule d = ScheduleOf(kernel, s);
  const int64_t work =
      s.batch * s.out_plane() * s.out_channels * s.group_in() * s.taps();
  GemmGrid grid =
      SplitDirect(d, s, work < kMinParallelWork ? 1 : pool->threads());
  const ConvSchedule& wanted = kernel.schedule;
  if (wanted.parts() > 0 && wanted.parts() <= pool->threads()) {
    grid = {wanted.row_parts, wanted.block_parts};
  }
  const int64_t panel = args.narrow.w ? d.Panel(s, kernel.block) : 0;
  auto share = [&](int part) {
    const GemmRange blocks =
        PartOf(d.out_blocks, 1, part % grid.cols, grid.cols);
    const GemmRange rows =
        PartOf(d.rows * s.batch, 1, part / grid.cols, grid.rows);
    float* scratch = args.scratch + part * (d.Scratch() + panel);
    RunShare(
        {&kernel, &args, &d, 0, blocks, {}, scratch, scratch + d.Scratch()},
        rows);
  };
  pool->ParallelFor(grid.rows * grid.cols, 1, [&](int64_t begin, int64_t end) {
    for (int64_t part = begin; part < end; ++part)
      share(static_cast<int>(part));
  });
}

}  // namespace stint
