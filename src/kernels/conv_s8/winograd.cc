#include "kernels/conv_s8/winograd.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "core/platform/thread_pool.h"
#include "kernels/conv_s8/band.h"
#include "kernels/conv_s8/conv_s8_table.h"
#include "kernels/geometry/blocking.h"

namespace stint {
namespace {

constexpr int64_t kTile = 4;  // pixels of results
// Bytes of transformed tiles and sums beside weights that fit L2, and beside
// larger ones, which every block of tiles reads anew: a block as small as stays
// in L1, or as large as stays in L2.
constexpr int64_t kSmallBlockBytes = 64 * 1024;
constexpr int64_t kLargeBlockBytes = 384 * 1024;
constexpr int64_t kWeightsInL2 = 256 * 1024;
// Of a direct layer. CIFAR-10 ResNet-20, whose layers take 40,000, is 6 %
// slower by Winograd on two threads, and 16 % faster on one.
constexpr double kLeastCyclesToShare = 200'000;
// Of a CPU's last cache, what a network may count on.
constexpr int64_t kWeightsInL3 = 16 << 20;
// Bytes of a padded copy of rows.
constexpr int64_t kCopyBytes = 128 * 1024;
// Blocks smaller than the register tile read weights for little.
constexpr int64_t kLeastTiles = 8;

// Rows of G, whole: times 4, 6, 6, 24 and 24, and the first and last times 6
// more, which leaves factors to RestoreWinogradS8 that are shifts.
constexpr int kWeightTransform[6][3] = {{6, 0, 0}, {1, 1, 1},  {1, -1, 1},
                                        {1, 2, 4}, {1, -2, 4}, {0, 0, 6}};

struct Plan {
  int64_t channels;  // in, as stored
  int64_t width;
  int64_t vecs;  // of output channels
  int64_t panels;
  int64_t tile_rows;
  int64_t tile_cols;
  int64_t band;   // rows of tiles per copy
  int64_t pitch;  // bytes between rows of the copy
  int64_t block;  // tiles
  // Parts of one thread's scratch.
  int64_t copy_bytes;
  int64_t v_bytes;
  int64_t m_bytes;

  int64_t ScratchBytes() const { return copy_bytes + v_bytes + m_bytes; }
  GemmRange PanelVecs(int64_t panel) const {
    return {vecs * panel / panels, vecs * (panel + 1) / panels};
  }
  // Of one vector of output channels, all places: numbers of 16 bits.
  int64_t VecWeights() const { return kWinogradS8Places * channels * width; }
  int64_t WeightBytes() const { return vecs * VecWeights() * 2; }
};

Plan MakePlan(const ConvS8WinogradSet& set, const ConvF32Shape& s,
              int64_t x_pixel) {
  Plan p{};
  p.channels = x_pixel;
  p.width = set.width;
  p.vecs = CeilDiv(s.out_channels, p.width);
  p.panels = CeilDiv(p.vecs, set.max_vecs);
  p.tile_rows = CeilDiv(s.out_h, kTile);
  p.tile_cols = CeilDiv(s.out_w, kTile);
  p.pitch = (p.tile_cols * kTile + 2) * x_pixel;
  p.band = EvenBlock(p.tile_rows,
                     std::max<int64_t>(1, kCopyBytes / (p.pitch * kTile)), 1);
  const int64_t panel_width = CeilDiv(p.vecs, p.panels) * p.width;
  const int64_t tile_bytes =
      kWinogradS8Places * (p.channels * 2 + panel_width * 4);
  const int64_t limit =
      p.WeightBytes() > kWeightsInL2 ? kLargeBlockBytes : kSmallBlockBytes;
  p.block = std::min(EvenBlock(p.band * p.tile_cols,
                               std::max(kLeastTiles, limit / tile_bytes), 1),
                     p.band * p.tile_cols);
  p.copy_bytes = RoundUp((p.band * kTile + 2) * p.pitch + 64, 64);
  p.v_bytes = RoundUp(kWinogradS8Places * p.block * p.channels * 2, 64);
  p.m_bytes = RoundUp(kWinogradS8Places * p.block * panel_width * 4, 64);
  return p;
}

// One thread's share.
struct Share {
  const ConvS8Args* args;
  const ConvS8WinogradSet* set;
  const Plan* plan;
  GemmRange vecs;  // of output channels
  uint8_t* copy;
  int16_t* v;
  int32_t* m;
};

// Tiles [first, first + count) of the rows of tiles from `row` on of an image.
struct Block {
  int64_t image;
  int64_t row;
  int64_t first;
  int64_t count;
};

void Transform(const Share& share, const Block& block) {
  const Plan& p = *share.plan;
  const int64_t place = block.count * p.channels;
  for (int64_t t = 0; t < block.count;) {
    const int64_t row = (block.first + t) / p.tile_cols;
    const int64_t col = (block.first + t) % p.tile_cols;
    const int64_t count = std::min(block.count - t, p.tile_cols - col);
    share.set->transform(
        {share.copy + row * kTile * p.pitch + col * kTile * p.channels,
         p.channels, p.pitch, count, share.v + t * p.channels, place});
    t += count;
  }
}

// Vectors `vecs` of one panel.
void Multiply(const Share& share, const Block& block, int64_t panel,
              GemmRange vecs) {
  const Plan& p = *share.plan;
  const GemmRange all = p.PanelVecs(panel);
  const int64_t row = (all.end - all.begin) * p.width * 2;
  const int64_t count = vecs.end - vecs.begin;
  const auto* u = reinterpret_cast<const int16_t*>(share.args->w) +
                  all.begin * p.VecWeights() +
                  (vecs.begin - all.begin) * p.width * 2;
  for (int64_t place = 0; place < kWinogradS8Places; ++place) {
    share.set->multiply({share.v + place * block.count * p.channels,
                         block.count, p.channels,
                         u + place * p.channels / 2 * row, row, count,
                         share.m + place * block.count * count * p.width});
  }
}

void Finish(const Share& share, const Block& block, GemmRange vecs) {
  const ConvS8Args& args = *share.args;
  const ConvF32Shape& s = args.shape;
  const Plan& p = *share.plan;
  const int64_t channel = vecs.begin * p.width;
  const int8_t* scales = args.w + p.WeightBytes();
  WinogradS8Result r{};
  r.vecs = vecs.end - vecs.begin;
  r.m_place = block.count * r.vecs * p.width;
  r.row_pixels = s.out_w;
  r.bias = reinterpret_cast<const int32_t*>(scales) + channel;
  r.store.multiplier =
      reinterpret_cast<const float*>(scales) + p.vecs * p.width + channel;
  r.store.channels = std::min(r.vecs * p.width, args.y_pixel - channel);
  r.store.residual = args.residual ? args.residual + channel : nullptr;
  r.store.y = args.y + channel;
  r.store.y_pixel = args.y_pixel;
  r.store.out = &args.out;
  for (int64_t t = 0; t < block.count; ++t) {
    const int64_t row = (block.row + (block.first + t) / p.tile_cols) * kTile;
    const int64_t col = (block.first + t) % p.tile_cols * kTile;
    r.m = share.m + t * r.vecs * p.width;
    r.rows = std::min(kTile, s.out_h - row);
    r.cols = std::min(kTile, s.out_w - col);
    r.first = (block.image * s.out_h + row) * s.out_w + col;
    share.set->finish(r);
  }
}

// Rows of tiles [rows.begin, rows.end) of one image, no more than a band.
void RunBand(const Share& share, int64_t image, GemmRange rows) {
  const ConvS8Args& args = *share.args;
  const ConvF32Shape& s = args.shape;
  const Plan& p = *share.plan;
  const int64_t count = rows.end - rows.begin;
  CopyBand(
      s,
      {args.x + image * s.in_plane() * args.x_pixel, args.x_pixel, args.x_zero,
       rows.begin * kTile, count * kTile, p.pitch / args.x_pixel},
      share.copy);
  const int64_t tiles = count * p.tile_cols;
  for (int64_t t = 0; t < tiles; t += p.block) {
    const Block block{image, rows.begin, t, std::min(p.block, tiles - t)};
    Transform(share, block);
    for (int64_t i = 0; i < p.panels; ++i) {
      const GemmRange all = p.PanelVecs(i);
      const GemmRange own = {std::max(all.begin, share.vecs.begin),
                             std::min(all.end, share.vecs.end)};
      if (own.begin >= own.end) continue;
      Multiply(share, block, i, own);
      Finish(share, block, own);
    }
  }
}

// Rows of tiles [begin, end) counted through all images.
void RunShare(const Share& share, GemmRange rows) {
  const Plan& p = *share.plan;
  for (int64_t r = rows.begin; r < rows.end;) {
    const int64_t first = r % p.tile_rows;
    const int64_t count = std::min({p.band, p.tile_rows - first, rows.end - r});
    RunBand(share, r / p.tile_rows, {first, first + count});
    r += count;
  }
}

// Over rows where weights are small beside the image, else over channels.
GemmGrid Split(const Plan& p, const ConvF32Shape& s, int threads) {
  GemmGrid best{1, 1};
  int64_t best_cost = INT64_MAX;
  for (int cols = threads; cols >= 1; --cols) {
    const GemmGrid grid{threads / cols, cols};
    const int64_t tiles =
        CeilDiv(p.tile_rows * s.batch, grid.rows) * p.tile_cols;
    // Cycles: products, weights at 16 bytes each, transforms.
    const int64_t cost = tiles * CeilDiv(p.vecs, cols) * (p.VecWeights() / 32) +
                         p.WeightBytes() / cols / 16 + tiles * p.channels * 12;
    if (cost < best_cost) {
      best_cost = cost;
      best = grid;
    }
  }
  return best;
}

// G w G^T of one 3x3 window.
void TransformWindow(const int8_t* w, int16_t (&u)[6][6]) {
  int rows[6][3];
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 3; ++j) {
      rows[i][j] = 0;
      for (int k = 0; k < 3; ++k) {
        rows[i][j] += kWeightTransform[i][k] * w[k * 3 + j];
      }
    }
  }
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) {
      int sum = 0;
      for (int k = 0; k < 3; ++k) sum += rows[i][k] * kWeightTransform[j][k];
      u[i][j] = static_cast<int16_t>(sum);
    }
  }
}

// All windows that one output reads.
void PackOutput(const Plan& p, const ConvF32Shape& s, const int8_t* w,
                int64_t output, int16_t* packed) {
  const int64_t vec = output / p.width;
  int64_t panel = 0;
  while (vec >= p.PanelVecs(panel).end) ++panel;
  const GemmRange vecs = p.PanelVecs(panel);
  const int64_t row = (vecs.end - vecs.begin) * p.width * 2;
  int16_t* to = packed + vecs.begin * p.VecWeights() +
                (output - vecs.begin * p.width) * 2;
  for (int64_t c = 0; c < s.in_channels; ++c) {
    int16_t u[6][6];
    TransformWindow(w + c * 9, u);
    for (int64_t place = 0; place < kWinogradS8Places; ++place) {
      to[(place * p.channels / 2 + c / 2) * row + c % 2] =
          u[place / 6][place % 6];
    }
  }
}

}  // namespace

bool WinogradS8Supports(const ConvF32Shape& s) {
  return s.groups == 1 && s.kernel_h == 3 && s.kernel_w == 3 &&
         s.stride_h == 1 && s.stride_w == 1 && s.dilation_h == 1 &&
         s.dilation_w == 1 && s.in_channels > 4;
}

bool WinogradS8Fits(const ConvF32Shape& s, const int8_t* w) {
  const int64_t count = s.in_channels * 9;
  for (int64_t o = 0; o < s.out_channels; ++o, w += count) {
    int64_t sum = 0;
    for (int64_t i = 0; i < count; ++i) sum += std::abs(int{w[i]});
    if (sum * 255 >= int64_t{1} << 25) return false;
  }
  return true;
}

bool WinogradS8Gains(const ConvF32Shape& s, const WinogradS8Site& site) {
  // Cycles, fitted by hand to Zen 4 (conv_s8_bench has the layers). Tiles of
  // one vector store as much as those of several.
  const auto channels = static_cast<double>(RoundUp(s.in_channels, 16));
  const auto vecs = static_cast<double>(CeilDiv(s.out_channels, 16));
  const auto pixels = static_cast<double>(s.batch * s.out_plane());
  const auto tiles = static_cast<double>(s.batch * CeilDiv(s.out_h, kTile) *
                                         CeilDiv(s.out_w, kTile));
  const double products =
      9 * static_cast<double>(RoundUp(s.in_channels, 4)) / 4;
  const double direct = pixels * vecs * (products + (vecs > 1 ? 2 : 6));
  const double compute =
      tiles * (18 * channels * vecs + 200 * vecs + 12.5 * channels);
  const double bytes = kWinogradS8Places * 32 * channels * vecs;
  // 16 bytes per cycle, beside the products, of weights that stay in L3 from
  // one run to the next; 7, and nothing beside, of others.
  const double winograd = 8 * site.network_weights <= kWeightsInL3
                              ? std::max(compute, bytes / 16)
                              : compute + bytes / 7;
  // Threads that share a small layer each transform most of it.
  if (site.threads > 1 && direct < kLeastCyclesToShare) return false;
  constexpr double kMargin = 1.1;  // for weights of 8 times the size
  return kMargin * winograd < direct;
}

int64_t WinogradS8PackedBytes(const ConvS8Kernel& kernel,
                              const ConvF32Shape& shape, int64_t x_pixel) {
  const Plan p = MakePlan(*kernel.winograd, shape, x_pixel);
  return p.WeightBytes() + p.vecs * p.width * 8;
}

void WinogradS8Pack(const ConvS8Kernel& kernel, const ConvF32Shape& shape,
                    const ConvS8Weights& weights, int8_t* packed) {
  const Plan p = MakePlan(*kernel.winograd, shape, weights.x_pixel);
  const int64_t slots = p.vecs * p.width;
  std::memset(packed, 0, static_cast<size_t>(p.WeightBytes() + slots * 8));
  auto* bias = reinterpret_cast<int32_t*>(packed + p.WeightBytes());
  auto* multiplier = reinterpret_cast<float*>(packed + p.WeightBytes()) + slots;
  for (int64_t o = 0; o < shape.out_channels; ++o) {
    bias[o] = weights.bias[o];
    multiplier[o] = weights.multiplier[o];
    PackOutput(p, shape, weights.w + o * shape.in_channels * 9, o,
               reinterpret_cast<int16_t*>(packed));
  }
}

int64_t WinogradS8ScratchBytes(const ConvS8Kernel& kernel,
                               const ConvF32Shape& shape, int64_t x_pixel,
                               int threads) {
  return threads * MakePlan(*kernel.winograd, shape, x_pixel).ScratchBytes();
}

void WinogradS8(const ConvS8Kernel& kernel, const ConvS8Args& args,
                ThreadPool* pool) {
  const ConvF32Shape& s = args.shape;
  const Plan p = MakePlan(*kernel.winograd, s, args.x_pixel);
  const int64_t work =
      s.batch * s.out_plane() * s.out_channels * s.in_channels * 9;
  const GemmGrid grid =
      Split(p, s, work < 8 * kMinParallelWork ? 1 : pool->threads());
  const auto run = [&](int part) {
    if (part >= grid.rows * grid.cols) return;
    uint8_t* scratch = args.scratch + part * p.ScratchBytes();
    const Share share{
        &args,
        kernel.winograd,
        &p,
        PartOf(p.vecs, 1, part % grid.cols, grid.cols),
        scratch,
        reinterpret_cast<int16_t*>(scratch + p.copy_bytes),
        reinterpret_cast<int32_t*>(scratch + p.copy_bytes + p.v_bytes)};
    RunShare(share,
             PartOf(p.tile_rows * s.batch, 1, part / grid.cols, grid.rows));
  };
  if (grid.rows * grid.cols == 1) return run(0);
  pool->ParallelParts(run);
}

}  // namespace stint
