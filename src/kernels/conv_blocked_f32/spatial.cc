#include "kernels/conv_blocked_f32/spatial.h"

#include <algorithm>

#include "core/platform/thread_pool.h"
#include "kernels/conv_blocked_f32/conv_blocked_f32_table.h"
#include "kernels/conv_blocked_f32/direct/direct_schedule.h"
#include "kernels/conv_blocked_f32/gathered.h"
#include "kernels/geometry/padded_lanes.h"

namespace stint {
namespace {

// Columns of a rectangle: two register tiles of the widest machine.
constexpr int64_t kCols = 28;
// Bytes of a packed rectangle: half an L2 of 1 MB.
constexpr int64_t kPackedBytes = 512 * 1024;

struct Plan {
  int64_t block;
  int64_t planes;
  int64_t out_blocks;
  int64_t rows;  // outputs of a rectangle
  int64_t cols;
  int64_t tiles_h;
  int64_t tiles_w;
  int64_t in_rows;  // what it reads
  int64_t in_cols;

  int64_t Floats() const { return planes * in_rows * in_cols * block; }
};

// Pixels that `count` outputs along an axis read.
int64_t Reach(int64_t count, int64_t stride, int64_t kernel, int64_t dilation) {
  return (count - 1) * stride + (kernel - 1) * dilation + 1;
}

Plan MakePlan(const ConvBlockedF32Kernel& kernel, const ConvF32Shape& s) {
  Plan p{};
  p.block = kernel.block;
  p.planes = CeilDiv(s.in_channels, p.block);
  p.out_blocks = CeilDiv(s.out_channels, p.block);
  p.cols = EvenBlock(s.out_w, kCols, 1);
  p.in_cols = Reach(p.cols, s.stride_w, s.kernel_w, s.dilation_w);
  const int64_t row_bytes =
      p.planes * p.in_cols * p.block * int64_t{sizeof(float)};
  const int64_t fit =
      kPackedBytes / row_bytes - Reach(1, 1, s.kernel_h, s.dilation_h);
  const int64_t own =
      std::clamp<int64_t>(fit / s.stride_h, 1, CeilDiv(s.out_h, 2));
  p.rows = EvenBlock(s.out_h,
                     kernel.schedule.band > 0 ? kernel.schedule.band : own, 1);
  p.in_rows = Reach(p.rows, s.stride_h, s.kernel_h, s.dilation_h);
  p.tiles_h = CeilDiv(s.out_h, p.rows);
  p.tiles_w = CeilDiv(s.out_w, p.cols);
  return p;
}

void RunTile(const ConvBlockedF32Kernel& kernel, const ConvBlockedF32Args& args,
             const Plan& p, int64_t index, float* packed) {
  const ConvF32Shape& s = args.shape;
  const int64_t image = index / (p.tiles_h * p.tiles_w);
  const int64_t row = index / p.tiles_w % p.tiles_h * p.rows;
  const int64_t col = index % p.tiles_w * p.cols;
  const int64_t y = row * s.stride_h - s.pad_top;
  const int64_t z = col * s.stride_w - s.pad_left;
  const int64_t in_row = p.in_cols * p.block;
  for (int64_t i = 0; i < p.planes; ++i) {
    CopyPatch(s, args.x + (image * p.planes + i) * s.in_plane() * p.block,
              {y, y + p.in_rows}, {z, z + p.in_cols}, p.block,
              packed + i * p.in_rows * in_row);
  }
  const GatheredInput in{
      packed,
      s.stride_h * in_row,
      s.stride_w * p.block,
      {p.in_rows * in_row, s.dilation_h * in_row, s.dilation_w * p.block}};
  const int64_t y_block = s.out_plane() * p.block;
  const int64_t y_row = s.out_w * p.block;
  const int64_t at =
      image * p.out_blocks * y_block + row * y_row + col * p.block;
  const int64_t rows = std::min(p.rows, s.out_h - row);
  const int64_t cols = std::min(p.cols, s.out_w - col);
  MultiplyGathered(kernel, args, in,
                   {args.y + at,
                    args.residual ? args.residual + at : nullptr,
                    y_row,
                    y_block,
                    rows,
                    cols,
                    {0, p.out_blocks}});
  const int64_t keep = LanesToKeep(s.out_channels, p.block, args.act);
  if (keep == p.block) return;
  float* last = args.y + at + (p.out_blocks - 1) * y_block;
  for (int64_t r = 0; r < rows; ++r) {
    ClearLanes(last + r * y_row, cols, p.block, keep);
  }
}

}  // namespace

int64_t SpatialScratchBytes(const ConvBlockedF32Kernel& kernel,
                            const ConvF32Shape& shape, int threads) {
  return threads * MakePlan(kernel, shape).Floats() * int64_t{sizeof(float)};
}

void SpatialConv(const ConvBlockedF32Kernel& kernel,
                 const ConvBlockedF32Args& args, ThreadPool* pool) {
  const Plan p = MakePlan(kernel, args.shape);
  const int64_t tiles = args.shape.batch * p.tiles_h * p.tiles_w;
  pool->ParallelParts([&](int part) {
    float* packed = args.scratch + part * p.Floats();
    const GemmRange share = PartOf(tiles, 1, part, pool->threads());
    for (int64_t i = share.begin; i < share.end; ++i) {
      RunTile(kernel, args, p, i, packed);
    }
  });
}

}  // namespace stint
