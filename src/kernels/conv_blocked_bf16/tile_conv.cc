#include "kernels/conv_blocked_bf16/tile_conv.h"

#include <algorithm>
#include <cstring>

#include "core/base/float_bits.h"
#include "core/platform/thread_pool.h"
#include "kernels/conv_blocked_f32/padded_lanes.h"
#include "kernels/gemm_f32/blocking.h"
#include "kernels/simd/amx_tiles.h"

namespace stint {
namespace {

constexpr int64_t kTileElements = kTileBytes / 2;
// Multiply-adds below which a second thread costs more than it saves: tiles do
// 16 times as many as vectors.
constexpr int64_t kMinTileWork = 16 * kMinParallelWork;

// One image of a batch, a band of it and where its copy is made.
struct Band {
  const ConvTileCode* code;
  const ConvBlockedF32Args* args;
  const ConvTilePlan* plan;
  int64_t image;
  GemmRange rows;
  int64_t* offsets;
  uint16_t* copy;
};

int64_t OffsetsBytes(const ConvTilePlan& p) {
  return RoundUp(p.steps * int64_t{sizeof(int64_t)}, 64);
}

// Bytes from the first pixel of a row tile to what each step multiplies.
void FillOffsets(const ConvTilePlan& p, const ConvF32Shape& s, int64_t* to) {
  for (int64_t i = 0; i < p.planes; ++i) {
    for (int64_t r = 0; r < p.window_h; ++r) {
      for (int64_t q = 0; q < p.tap_steps; ++q) {
        const int64_t row = i * p.band_in + r * s.dilation_h;
        const int64_t col = q * p.step_taps * s.dilation_w;
        *to++ = (row * p.pitch + col) * p.PixelBytes();
      }
    }
  }
}

// Pixels of one block of x that lie `stride` apart, into the copy.
void RoundSpan(const Band& band, const float* x, int64_t stride, int64_t count,
               uint16_t* to) {
  band.code->round({x, stride * kConvTileBlock, to, band.plan->lanes, count});
}

// Outputs [first, first + count) of a flat image.
void CopyFlat(const Band& band, const float* x, int64_t first, int64_t count,
              uint16_t* to) {
  const ConvF32Shape& s = band.args->shape;
  const int64_t lanes = band.plan->lanes;
  if (s.in_w == s.out_w && s.in_h == s.out_h && s.stride_w == 1 &&
      s.stride_h == 1 && s.pad_left == 0 && s.pad_top == 0) {
    return RoundSpan(band, x + first * kConvTileBlock, 1, count, to);
  }
  for (int64_t i = first; i < first + count; ++i, to += lanes) {
    const int64_t y = i / s.out_w * s.stride_h - s.pad_top;
    const int64_t z = i % s.out_w * s.stride_w - s.pad_left;
    if (y < 0 || y >= s.in_h || z < 0 || z >= s.in_w) {
      std::fill_n(to, kConvTileBlock, uint16_t{0});
    } else {
      RoundSpan(band, x + (y * s.in_w + z) * kConvTileBlock, 1, 1, to);
    }
  }
}

// One row of one block of channels: image row y with zeros around it, or a
// piece of a flat image. The row is zero where nothing is written.
void CopyBlockRow(const Band& band, const float* x, int64_t r, uint16_t* to) {
  const ConvTilePlan& p = *band.plan;
  const ConvF32Shape& s = band.args->shape;
  if (p.flat) {
    const int64_t first = (band.rows.begin + r) * p.cols;
    return CopyFlat(band, x, first, std::min(p.cols, s.out_plane() - first),
                    to);
  }
  const int64_t y = band.rows.begin * s.stride_h - s.pad_top + r;
  if (y < 0 || y >= s.in_h) return;
  const int64_t left = std::min(s.pad_left, p.pitch);
  const int64_t count = std::min(p.pitch - left, s.in_w);
  RoundSpan(band, x + y * s.in_w * kConvTileBlock, 1, count,
            to + left * p.lanes);
}

// Row r of plane i of the copy, both blocks of channels of it.
void CopyRow(const Band& band, int64_t i, int64_t r) {
  const ConvTilePlan& p = *band.plan;
  const ConvF32Shape& s = band.args->shape;
  uint16_t* to = band.copy + (i * p.band_in + r) * p.pitch * p.lanes;
  std::memset(to, 0, static_cast<size_t>(p.pitch * p.PixelBytes()));
  const int64_t blocks = CeilDiv(s.in_channels, kConvTileBlock);
  const int64_t per_plane = p.lanes / kConvTileBlock;
  for (int64_t h = 0; h < per_plane; ++h) {
    const int64_t b = i * per_plane + h;
    if (b >= blocks) break;
    const float* x = band.args->x +
                     (band.image * blocks + b) * s.in_plane() * kConvTileBlock;
    CopyBlockRow(band, x, r, to + h * kConvTileBlock);
  }
}

ConvTilePart PartOfBand(const Band& band, GemmRange units, GemmRange pairs,
                        const uint16_t* packed) {
  const ConvBlockedF32Args& args = *band.args;
  const ConvF32Shape& s = args.shape;
  const int64_t out_blocks = CeilDiv(s.out_channels, kConvTileBlock);
  const int64_t y_block = s.out_plane() * kConvTileBlock;
  const int64_t at = band.image * out_blocks * y_block;
  return {.plan = band.plan,
          .copy = reinterpret_cast<const uint8_t*>(band.copy),
          .offsets = band.offsets,
          .w = reinterpret_cast<const uint8_t*>(packed),
          .unit_begin = units.begin,
          .unit_end = units.end,
          .pair_begin = pairs.begin,
          .pair_end = pairs.end,
          .out_blocks = out_blocks,
          .row = band.rows.begin,
          .pixels = s.out_plane(),
          .y = args.y + at,
          .y_block = y_block,
          .bias = args.bias,
          .residual = args.residual ? args.residual + at : nullptr,
          .act = args.act};
}

void RunBand(const Band& band, const uint16_t* packed, ThreadPool* pool,
             int threads) {
  const ConvTilePlan& p = *band.plan;
  const int64_t rows = band.rows.end - band.rows.begin;
  const int64_t rows_in = p.band_in - (p.band - rows) * p.stride_h;
  const int64_t grain = threads == 1 ? p.planes * rows_in : 1;
  pool->ParallelFor(p.planes * rows_in, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      CopyRow(band, i / rows_in, i % rows_in);
  });
  const int64_t units = rows * p.units;
  const GemmGrid grid = SplitGemm(CeilDiv(units, 2), p.out_pairs, threads);
  const int parts = grid.rows * grid.cols;
  pool->ParallelFor(parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int part = static_cast<int>(i);
      band.code->run(PartOfBand(
          band, PartOf(units, 2, part / grid.cols, grid.rows),
          PartOf(p.out_pairs, 1, part % grid.cols, grid.cols), packed));
    }
  });
}

void ClearImage(const ConvBlockedF32Args& args, int64_t image) {
  const ConvF32Shape& s = args.shape;
  const int64_t keep = LanesToKeep(s.out_channels, kConvTileBlock, args.act);
  if (keep == kConvTileBlock) return;
  const int64_t blocks = CeilDiv(s.out_channels, kConvTileBlock);
  ClearLanes(
      args.y + ((image + 1) * blocks - 1) * s.out_plane() * kConvTileBlock,
      s.out_plane(), kConvTileBlock, keep);
}

// The weight of element e of a step, as the copy has them.
uint16_t WeightAt(const ConvTilePlan& p, const ConvF32Shape& s, const float* w,
                  int64_t step, int64_t e) {
  const int64_t tap = step % p.tap_steps * p.step_taps + e / p.lanes;
  const int64_t r = step / p.tap_steps % p.window_h;
  const int64_t c = step / p.tap_steps / p.window_h * p.lanes + e % p.lanes;
  if (tap >= s.kernel_w || c >= s.in_channels) return 0;
  return FloatToBFloat16(w[(c * s.kernel_h + r) * s.kernel_w + tap]);
}

}  // namespace

bool ConvTilesSupport(const ConvF32Shape& s) { return s.groups == 1; }

int64_t ConvTilesPackedBytes(const ConvF32Shape& s) {
  const ConvTilePlan p = MakeConvTilePlan(s);
  return p.out_pairs * p.steps * 2 * kTileBytes;
}

// [pairs of output blocks][steps][2] tiles of [16 pairs of k][16 outputs][2].
void ConvTilesPack(const ConvF32Shape& s, const float* w, uint16_t* packed,
                   ThreadPool* pool) {
  const ConvTilePlan p = MakeConvTilePlan(s);
  const int64_t stride = s.in_channels * s.taps();
  pool->ParallelFor(p.out_pairs, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin * p.steps; i < end * p.steps; ++i) {
      uint16_t* tiles = packed + i * 2 * kTileElements;
      std::fill_n(tiles, 2 * kTileElements, uint16_t{0});
      const int64_t first = i / p.steps * 2 * kConvTileBlock;
      const int64_t last = std::min(first + 2 * kConvTileBlock, s.out_channels);
      for (int64_t o = first; o < last; ++o) {
        uint16_t* column =
            tiles + (o - first) / 16 * kTileElements + o % 16 * 2;
        for (int64_t e = 0; e < 32; ++e) {
          column[e / 2 * 32 + e % 2] =
              WeightAt(p, s, w + o * stride, i % p.steps, e);
        }
      }
    }
  });
}

int64_t ConvTilesScratchBytes(const ConvF32Shape& s) {
  const ConvTilePlan p = MakeConvTilePlan(s);
  return OffsetsBytes(p) + p.CopyBytes();
}

void ConvOnTiles(const ConvTileCode& code, const ConvBlockedF32Args& args,
                 const uint16_t* packed, ThreadPool* pool) {
  const ConvF32Shape& s = args.shape;
  const ConvTilePlan p = MakeConvTilePlan(s);
  auto* scratch = reinterpret_cast<uint8_t*>(args.scratch);
  Band band{&code,
            &args,
            &p,
            0,
            {},
            reinterpret_cast<int64_t*>(scratch),
            reinterpret_cast<uint16_t*>(scratch + OffsetsBytes(p))};
  FillOffsets(p, s, band.offsets);
  const int64_t work = p.band * p.cols * s.out_channels * p.steps * 32;
  const int threads = work < kMinTileWork ? 1 : pool->threads();
  for (; band.image < s.batch; ++band.image) {
    for (int64_t r = 0; r < p.rows; r += p.band) {
      band.rows = {r, std::min(r + p.band, p.rows)};
      RunBand(band, packed, pool, threads);
    }
    ClearImage(args, band.image);
  }
}

}  // namespace stint
