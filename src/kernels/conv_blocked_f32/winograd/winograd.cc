#include "kernels/conv_blocked_f32/winograd/winograd.h"

#include <algorithm>

#include "core/platform/thread_pool.h"
#include "kernels/conv_blocked_f32/conv_blocked_f32_table.h"
#include "kernels/conv_blocked_f32/direct/direct_schedule.h"
#include "kernels/conv_blocked_f32/gathered.h"
#include "kernels/conv_blocked_f32/pass_weights.h"
#include "kernels/geometry/padded_lanes.h"

namespace stint {
namespace {

// Transformed inputs and sums of a band of tiles beside its weights in L2.
constexpr int64_t kBandBytes = 512 * 1024;
// Tiles of a band at least: weights that come from L3 or memory are used by
// that many pixels.
constexpr int64_t kMinTiles = 56;
// Tiles of a thread at least that read all weights for themselves.
constexpr int64_t kMinTilesApart = 8;
constexpr int64_t kLargestEdge = 6 * 6 * 16;  // floats of one tile of x

struct Plan {
  int64_t elements;  // of a transformed tile
  int64_t planes;    // blocks of x
  int64_t out_blocks;
  int64_t tiles_h;
  int64_t tiles_w;
  int64_t tiles;        // of all images
  int64_t band;         // tiles per band
  int64_t v_element;    // floats between elements of transformed inputs
  int64_t sum_element;  // and of sums
  ConvTileChoice tile;
  int64_t chunk;  // planes per pass

  int64_t Floats() const { return elements * (v_element + sum_element); }
};

Plan MakePlan(const ConvBlockedF32Kernel& kernel, const ConvF32Shape& s) {
  const int64_t m = kernel.winograd->m;
  const int64_t block = kernel.block;
  Plan p{};
  p.elements = (m + 2) * (m + 2);
  p.planes = CeilDiv(s.in_channels, block);
  p.out_blocks = CeilDiv(s.out_channels, block);
  p.tiles_h = CeilDiv(s.out_h, m);
  p.tiles_w = CeilDiv(s.out_w, m);
  p.tiles = s.batch * p.tiles_h * p.tiles_w;
  const int64_t tile_bytes =
      p.elements * (p.planes + p.out_blocks) * block * int64_t{sizeof(float)};
  const ConvSchedule& wanted = kernel.schedule;
  p.band =
      EvenBlock(p.tiles,
                wanted.band > 0 ? wanted.band
                                : std::max(kMinTiles, kBandBytes / tile_bytes),
                1);
  // One pixel more keeps elements from falling on the same lines of L1.
  p.v_element = (p.planes * p.band + 1) * block;
  p.sum_element = (p.out_blocks * p.band + 1) * block;
  p.tile = ScheduledTile(
      *kernel.tiles, wanted,
      PickConvTile(*kernel.tiles, p.band, p.out_blocks, kConvTileBlocks),
      kConvTileBlocks);
  const int64_t plane_bytes =
      block * p.tile.blocks * block * int64_t{sizeof(float)};
  // No more than MultiplyElement's panel holds.
  int64_t chunk = std::max<int64_t>(1, kConvPassBytes / plane_bytes);
  if (wanted.chunk > 0) chunk = std::min<int64_t>(chunk, wanted.chunk);
  p.chunk = EvenBlock(p.planes, chunk, 1);
  return p;
}

// A band of tiles and where its transformed inputs and sums are kept.
struct Band {
  const ConvBlockedF32Kernel* kernel;
  const ConvBlockedF32Args* args;
  const Plan* plan;
  GemmRange tiles;
  float* v;     // [elements, planes, band, block]
  float* sums;  // [elements, out_blocks, band, block]
};

struct TilePlace {
  int64_t image;
  int64_t row;  // first output row and column
  int64_t col;
};

TilePlace PlaceOf(const Band& band, int64_t tile) {
  const Plan& p = *band.plan;
  const int64_t m = band.kernel->winograd->m;
  return {tile / (p.tiles_h * p.tiles_w), tile / p.tiles_w % p.tiles_h * m,
          tile % p.tiles_w * m};
}

void TransformInputs(const Band& band, GemmRange planes) {
  const Plan& p = *band.plan;
  const ConvF32Shape& s = band.args->shape;
  const int64_t block = band.kernel->block;
  const int64_t side = band.kernel->winograd->m + 2;
  alignas(64) float edge[kLargestEdge];
  for (int64_t i = planes.begin; i < planes.end; ++i) {
    for (int64_t t = band.tiles.begin; t < band.tiles.end; ++t) {
      const TilePlace at = PlaceOf(band, t);
      const int64_t y = at.row - s.pad_top, z = at.col - s.pad_left;
      const float* x =
          band.args->x + (at.image * p.planes + i) * s.in_plane() * block;
      WinogradInput tile{x + (y * s.in_w + z) * block, s.in_w * block,
                         band.v + (i * p.band + t - band.tiles.begin) * block,
                         p.v_element};
      if (y < 0 || z < 0 || y + side > s.in_h || z + side > s.in_w) {
        CopyPatch(s, x, {y, y + side}, {z, z + side}, block, edge);
        tile.x = edge;
        tile.x_row = side * block;
      }
      band.kernel->winograd->input(tile);
    }
  }
}

// One pass over the tiles of a band, in short rows so that each can fetch the
// weights of one output block.
void MultiplyPass(const Band& band, ConvTiles t, const ConvNextWeights& next) {
  const int64_t block = band.kernel->block;
  const int64_t count = band.tiles.end - band.tiles.begin;
  const int64_t cols = 2 * t.tile;
  const int64_t rows = CeilDiv(count, cols);
  const float* x = t.x;
  float* y = t.y;
  for (int64_t r = 0; r < rows; ++r) {
    t.x = x + r * cols * block;
    t.y = y + r * cols * block;
    t.pixels = std::min(cols, count - r * cols);
    FetchNext(next, r, rows, &t);
    band.kernel->tiles->run(t);
  }
}

// All output blocks of one element.
void MultiplyElement(const Band& band, int64_t e) {
  const Plan& p = *band.plan;
  const int64_t block = band.kernel->block;
  const int64_t channels = band.args->shape.in_channels;
  ConvTiles t{};
  t.x_pixel = block;
  t.x_step[0] = p.band * block;
  t.count[1] = t.count[2] = 1;
  t.inner = block;
  t.y_block = p.band * block;
  t.tile = p.tile.pixels;
  const int64_t stride = channels * block;
  // Passes are cut so that their weights take no more.
  alignas(64) float panel[kConvPassBytes / sizeof(float)];
  for (int64_t b = 0; b < p.out_blocks; b += p.tile.blocks) {
    t.blocks = std::min(p.tile.blocks, p.out_blocks - b);
    for (int64_t i = 0; i < p.planes; i += p.chunk) {
      const int64_t end = std::min(i + p.chunk, p.planes);
      t.count[0] = end - i;
      t.inner_last =
          end == p.planes ? channels - (p.planes - 1) * block : block;
      t.steps = (t.count[0] - 1) * block + t.inner_last;
      t.x = band.v + e * p.v_element + i * p.band * block;
      t.y = band.sums + e * p.sum_element + b * t.y_block;
      t.accumulate = i > 0;
      ConvPassWeights pass{(e * p.out_blocks + b) * stride + i * block * block,
                           stride, t.blocks, t.steps * block};
      SetPassWeights(*band.args, pass, panel, &t);
      pass.floats = p.chunk * block * block;
      pass.at = end < p.planes
                    ? pass.at + pass.floats
                    : (e * p.out_blocks + b + p.tile.blocks) * stride;
      MultiplyPass(band, t, NextPassWeights(*band.args, pass));
    }
  }
}

void TransformOutputs(const Band& band, GemmRange blocks) {
  const Plan& p = *band.plan;
  const ConvBlockedF32Args& args = *band.args;
  const ConvF32Shape& s = args.shape;
  const int64_t block = band.kernel->block;
  const int64_t m = band.kernel->winograd->m;
  const int64_t keep = LanesToKeep(s.out_channels, block, args.act);
  for (int64_t b = blocks.begin; b < blocks.end; ++b) {
    for (int64_t t = band.tiles.begin; t < band.tiles.end; ++t) {
      const TilePlace at = PlaceOf(band, t);
      const int64_t y = ((at.image * p.out_blocks + b) * s.out_plane() +
                         at.row * s.out_w + at.col) *
                        block;
      const WinogradOutput tile{
          band.sums + (b * p.band + t - band.tiles.begin) * block,
          p.sum_element,
          args.bias ? args.bias + b * block : nullptr,
          args.residual ? args.residual + y : nullptr,
          args.y + y,
          s.out_w * block,
          std::min(m, s.out_h - at.row),
          std::min(m, s.out_w - at.col),
          args.act};
      band.kernel->winograd->output(tile);
      if (keep == block || b + 1 < p.out_blocks) continue;
      for (int64_t r = 0; r < tile.rows; ++r) {
        ClearLanes(tile.y + r * tile.y_row, tile.cols, block, keep);
      }
    }
  }
}

// Whether threads work on bands of their own where no schedule says so: where
// each has one, or where sharing a band would leave some without a transform
// (16 channels at 32 x 32, 2 threads of Zen 4: 14 us instead of 28).
bool IsBestApart(const Plan& p, int threads) {
  return p.tiles >= threads * p.band ||
         (std::min(p.planes, p.out_blocks) < threads &&
          p.tiles >= threads * kMinTilesApart);
}

// Threads work on bands of their own, each doing everything.
void RunApart(const Band& first, int threads, ThreadPool* pool) {
  const Plan& p = *first.plan;
  auto share = [&](int part) {
    Band band = first;
    band.v += part * p.Floats();
    band.sums += part * p.Floats();
    const GemmRange tiles = PartOf(p.tiles, 1, part, threads);
    for (int64_t t = tiles.begin; t < tiles.end; t += p.band) {
      band.tiles = {t, std::min(t + p.band, tiles.end)};
      TransformInputs(band, {0, p.planes});
      for (int64_t e = 0; e < p.elements; ++e) MultiplyElement(band, e);
      TransformOutputs(band, {0, p.out_blocks});
    }
  };
  pool->ParallelFor(threads, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) share(static_cast<int>(i));
  });
}

// Threads share each step of a band, so that each reads only its elements'
// weights.
void RunTogether(Band band, ThreadPool* pool) {
  const Plan& p = *band.plan;
  for (int64_t t = 0; t < p.tiles; t += p.band) {
    band.tiles = {t, std::min(t + p.band, p.tiles)};
    pool->ParallelFor(p.planes, 1, [&](int64_t begin, int64_t end) {
      TransformInputs(band, {begin, end});
    });
    pool->ParallelFor(p.elements, 1, [&](int64_t begin, int64_t end) {
      for (int64_t e = begin; e < end; ++e) MultiplyElement(band, e);
    });
    pool->ParallelFor(p.out_blocks, 1, [&](int64_t begin, int64_t end) {
      TransformOutputs(band, {begin, end});
    });
  }
}

}  // namespace

bool WinogradSupports(const ConvBlockedF32Kernel&, const ConvF32Shape& s) {
  return s.groups == 1 && s.kernel_h == 3 && s.kernel_w == 3 &&
         s.stride_h == 1 && s.stride_w == 1 && s.dilation_h == 1 &&
         s.dilation_w == 1;
}

int64_t WinogradScratchBytes(const ConvBlockedF32Kernel& kernel,
                             const ConvF32Shape& shape, int threads) {
  return threads * MakePlan(kernel, shape).Floats() * int64_t{sizeof(float)};
}

void WinogradConv(const ConvBlockedF32Kernel& kernel,
                  const ConvBlockedF32Args& args, ThreadPool* pool) {
  const Plan p = MakePlan(kernel, args.shape);
  const Band band{&kernel,      &args,
                  &p,           {},
                  args.scratch, args.scratch + p.elements * p.v_element};
  const ConvSchedule& wanted = kernel.schedule;
  const int threads = ScheduledThreads(wanted, pool->threads());
  const bool apart =
      wanted.parts() > 0 ? wanted.block_parts == 1 : IsBestApart(p, threads);
  if (apart) {
    RunApart(band, threads, pool);
  } else {
    RunTogether(band, pool);
  }
}

}  // namespace stint
