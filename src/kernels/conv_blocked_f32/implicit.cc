#include "kernels/conv_blocked_f32/implicit.h"

#include <algorithm>

#include "core/platform/thread_pool.h"
#include "kernels/conv_blocked_f32/conv_blocked_f32_table.h"
#include "kernels/conv_blocked_f32/gathered.h"
#include "kernels/geometry/padded_lanes.h"

namespace stint {
namespace {

// Pixels of a band at most: sums of four blocks of 16 take 128 KB.
constexpr int64_t kBandPixels = 512;

struct Plan {
  int64_t block;
  int64_t planes;
  int64_t out_blocks;
  int64_t height;  // of the padded image
  int64_t width;
  int64_t band;  // rows of outputs

  int64_t Image() const { return planes * height * width * block; }
  int64_t Sums() const {  // floats of a band of kConvTileBlocks blocks
    return kConvTileBlocks * band * width * block;
  }
};

Plan MakePlan(const ConvBlockedF32Kernel& kernel, const ConvF32Shape& s) {
  Plan p{};
  p.block = kernel.block;
  p.planes = CeilDiv(s.in_channels, p.block);
  p.out_blocks = CeilDiv(s.out_channels, p.block);
  p.height = s.out_h + (s.kernel_h - 1) * s.dilation_h;
  p.width = s.out_w + (s.kernel_w - 1) * s.dilation_w;
  const int64_t band =
      kernel.schedule.band > 0 ? kernel.schedule.band : kBandPixels / p.width;
  p.band = EvenBlock(s.out_h, std::max<int64_t>(1, band), 1);
  return p;
}

// Copies `rows` rows of `floats` floats from one pitch to another.
void CopyRows(const float* from, int64_t from_row, float* to, int64_t to_row,
              int64_t rows, int64_t floats) {
  for (int64_t r = 0; r < rows; ++r) {
    std::copy_n(from + r * from_row, floats, to + r * to_row);
  }
}

// One band of rows and up to kConvTileBlocks output blocks of one image.
struct Piece {
  const ConvBlockedF32Kernel* kernel;
  const ConvBlockedF32Args* args;
  const Plan* plan;
  int64_t image;
  GemmRange rows;
  GemmRange blocks;
  float* sums;
  float* residual;
};

void RunPiece(const Piece& piece) {
  const Plan& p = *piece.plan;
  const ConvBlockedF32Args& args = *piece.args;
  const ConvF32Shape& s = args.shape;
  const int64_t rows = piece.rows.end - piece.rows.begin;
  const int64_t flat_row = p.width * p.block;
  const int64_t sum_block = p.band * flat_row;
  const int64_t y_row = s.out_w * p.block;
  const int64_t y_block = s.out_plane() * p.block;
  const int64_t at =
      (piece.image * p.out_blocks + piece.blocks.begin) * y_block +
      piece.rows.begin * y_row;
  const int64_t blocks = piece.blocks.end - piece.blocks.begin;
  if (args.residual) {
    std::fill_n(piece.residual, blocks * sum_block, 0.0f);
    for (int64_t b = 0; b < blocks; ++b) {
      CopyRows(args.residual + at + b * y_block, y_row,
               piece.residual + b * sum_block, flat_row, rows, y_row);
    }
  }
  const GatheredInput in{
      args.scratch + piece.rows.begin * flat_row,
      0,
      p.block,
      {p.height * flat_row, s.dilation_h * flat_row, s.dilation_w * p.block}};
  MultiplyGathered(
      *piece.kernel, args, in,
      {piece.sums, args.residual ? piece.residual : nullptr, 0, sum_block, 1,
       (rows - 1) * p.width + s.out_w, piece.blocks});
  const int64_t keep = LanesToKeep(s.out_channels, p.block, args.act);
  for (int64_t b = 0; b < blocks; ++b) {
    float* y = args.y + at + b * y_block;
    CopyRows(piece.sums + b * sum_block, flat_row, y, y_row, rows, y_row);
    if (keep < p.block && piece.blocks.begin + b + 1 == p.out_blocks) {
      ClearLanes(y, rows * s.out_w, p.block, keep);
    }
  }
}

void PadImage(const ConvBlockedF32Args& args, const Plan& p, int64_t image,
              ThreadPool* pool) {
  const ConvF32Shape& s = args.shape;
  pool->ParallelFor(p.planes, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      CopyPatch(s, args.x + (image * p.planes + i) * s.in_plane() * p.block,
                {-s.pad_top, p.height - s.pad_top},
                {-s.pad_left, p.width - s.pad_left}, p.block,
                args.scratch + i * p.height * p.width * p.block);
    }
  });
}

}  // namespace

bool ImplicitSupports(const ConvBlockedF32Kernel& kernel,
                      const ConvF32Shape& s) {
  return GatheredSupports(kernel, s) && s.stride_h == 1 && s.stride_w == 1;
}

int64_t ImplicitScratchBytes(const ConvBlockedF32Kernel& kernel,
                             const ConvF32Shape& shape, int threads) {
  const Plan p = MakePlan(kernel, shape);
  return (p.Image() + 2 * threads * p.Sums()) * int64_t{sizeof(float)};
}

void ImplicitConv(const ConvBlockedF32Kernel& kernel,
                  const ConvBlockedF32Args& args, ThreadPool* pool) {
  const ConvF32Shape& s = args.shape;
  const Plan p = MakePlan(kernel, s);
  const int64_t bands = CeilDiv(s.out_h, p.band);
  const int64_t groups = CeilDiv(p.out_blocks, kConvTileBlocks);
  for (int64_t n = 0; n < s.batch; ++n) {
    PadImage(args, p, n, pool);
    pool->ParallelParts([&](int part) {
      float* sums = args.scratch + p.Image() + 2 * part * p.Sums();
      const GemmRange pieces = PartOf(bands * groups, 1, part, pool->threads());
      for (int64_t i = pieces.begin; i < pieces.end; ++i) {
        const int64_t row = i / groups * p.band;
        const int64_t block = i % groups * kConvTileBlocks;
        RunPiece({&kernel,
                  &args,
                  &p,
                  n,
                  {row, std::min(row + p.band, s.out_h)},
                  {block, std::min(block + kConvTileBlocks, p.out_blocks)},
                  sums,
                  sums + p.Sums()});
      }
    });
  }
}

}  // namespace stint
