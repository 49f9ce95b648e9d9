#include "kernels/conv_blocked_bf16/tile_conv.h"

#include <algorithm>

#include "core/base/float_bits.h"
#include "core/platform/thread_pool.h"
#include "kernels/conv_blocked_bf16/narrow_depthwise.h"
#include "kernels/conv_blocked_bf16/tile_copy.h"
#include "kernels/geometry/padded_lanes.h"
#include "kernels/simd/amx_tiles.h"

namespace stint {
namespace {

constexpr int64_t kTileElements = kTileBytes / 2;
// Multiply-adds below which a second thread costs more than it saves: tiles do
// 16 times as many as vectors.
constexpr int64_t kMinTileWork = 16 * kMinParallelWork;

int64_t OffsetsBytes(const ConvTilePlan& p) {
  return RoundUp(p.steps * int64_t{sizeof(int64_t)}, 64);
}

// Bytes from the first pixel of a row tile to what each step multiplies.
void FillOffsets(const ConvTilePlan& p, const ConvF32Shape& s, int64_t* to) {
  for (int64_t i = 0; i < p.planes; ++i) {
    for (int64_t r = 0; r < p.window_h; ++r) {
      for (int64_t q = 0; q < p.tap_steps; ++q) {
        const int64_t row = r * s.dilation_h;
        const int64_t col = q * p.step_taps * s.dilation_w;
        *to++ = i * p.plane_bytes + (row * p.pitch + col) * p.PixelBytes();
      }
    }
  }
}

// Of one image of y or the residual.
int64_t ImageBytes(const ConvF32Shape& s, ConvForm form) {
  return form == ConvForm::kNarrow
             ? RoundUp(s.out_channels, kNarrowBlock) * s.out_plane() * 2
             : RoundUp(s.out_channels, kConvTileBlock) * s.out_plane() * 4;
}

// One thread's share.
struct Share {
  const ConvTileCode* code;
  const ConvBf16Args* args;
  const ConvTilePlan* plan;
  const uint16_t* packed;
  const int64_t* offsets;
  GemmRange pairs;
  uint8_t* copy;
};

ConvTilePart PartOfBand(const Share& share, const ConvTileBand& band) {
  const ConvBf16Args& args = *share.args;
  const ConvF32Shape& s = args.shape;
  const ConvTilePlan& p = *share.plan;
  ConvTilePart part{};
  part.plan = &p;
  part.a = share.copy;
  if (p.direct) {
    part.a = static_cast<const uint8_t*>(args.x) +
             band.image * p.planes * p.plane_bytes;
  }
  part.offsets = share.offsets;
  part.w = reinterpret_cast<const uint8_t*>(share.packed);
  part.unit_end = (band.rows.end - band.rows.begin) * p.units;
  part.pair_begin = share.pairs.begin;
  part.pair_end = share.pairs.end;
  // A narrow block is stored whole.
  part.out_blocks = args.forms.y == ConvForm::kNarrow
                        ? 2 * p.out_pairs
                        : CeilDiv(s.out_channels, kConvTileBlock);
  part.row = band.rows.begin;
  part.pixels = s.out_plane();
  part.forms = args.forms;
  part.y =
      static_cast<uint8_t*>(args.y) + band.image * ImageBytes(s, args.forms.y);
  part.bias = args.bias;
  if (args.residual != nullptr) {
    part.residual = static_cast<const uint8_t*>(args.residual) +
                    band.image * ImageBytes(s, args.forms.residual);
    part.residual_blocks = args.forms.residual == ConvForm::kNarrow
                               ? 2 * p.out_pairs
                               : CeilDiv(s.out_channels, kConvTileBlock);
  }
  part.act = args.act;
  return part;
}

// Rows [begin, end) counted through all images.
void RunShare(const Share& share, GemmRange rows) {
  const ConvTilePlan& p = *share.plan;
  for (int64_t r = rows.begin; r < rows.end;) {
    const int64_t first = r % p.rows;
    const int64_t count = std::min({p.band, p.rows - first, rows.end - r});
    const ConvTileBand band{
        share.code, share.args, &p, r / p.rows, {first, first + count}};
    if (!p.direct) {
      CopyConvBand(band, reinterpret_cast<uint16_t*>(share.copy));
    }
    share.code->run(PartOfBand(share, band));
    r += count;
  }
}

void ClearImages(const ConvBf16Args& args) {
  const ConvF32Shape& s = args.shape;
  // A narrow residual has anything past the last channel.
  const int64_t used = (s.out_channels - 1) % kConvTileBlock + 1;
  const int64_t keep =
      args.forms.residual == ConvForm::kNarrow
          ? used
          : LanesToKeep(s.out_channels, kConvTileBlock, args.act);
  if (keep == kConvTileBlock || args.forms.y == ConvForm::kNarrow) return;
  const int64_t blocks = CeilDiv(s.out_channels, kConvTileBlock);
  for (int64_t image = 0; image < s.batch; ++image) {
    ClearLanes(static_cast<float*>(args.y) +
                   ((image + 1) * blocks - 1) * s.out_plane() * kConvTileBlock,
               s.out_plane(), kConvTileBlock, keep);
  }
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

bool ConvTilesSupport(const ConvF32Shape& s, const ConvForms& forms) {
  if (s.groups > 1) return NarrowDepthwiseSupports(s, forms);
  return forms.x != ConvForm::kPlain ||
         (s.in_channels <= 4 && s.dilation_w == 1);
}

int64_t ConvTilesPackedBytes(const ConvF32Shape& s, ConvForm x) {
  if (s.groups > 1) return NarrowDepthwisePackedBytes(s);
  const ConvTilePlan p = MakeConvTilePlan(s, x);
  return p.out_pairs * p.steps * 2 * kTileBytes;
}

int64_t ConvTilesLanes(const ConvF32Shape& s, ConvForm x) {
  return s.groups > 1 ? kNarrowBlock : MakeConvTilePlan(s, x).lanes;
}

// [pairs of output blocks][steps][2] tiles of [16 pairs of k][16 outputs][2].
void ConvTilesPack(const ConvF32Shape& s, ConvForm x, const float* w,
                   uint16_t* packed, ThreadPool* pool) {
  if (s.groups > 1) return NarrowDepthwisePack(s, w, packed);
  const ConvTilePlan p = MakeConvTilePlan(s, x);
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

int64_t ConvTilesScratchBytes(const ConvF32Shape& s, ConvForm x, int threads) {
  if (s.groups > 1) return 0;
  const ConvTilePlan p = MakeConvTilePlan(s, x);
  return OffsetsBytes(p) + threads * p.CopyBytes();
}

void ConvOnTiles(const ConvTileCode& code, const ConvBf16Args& args,
                 const uint16_t* packed, ThreadPool* pool) {
  const ConvF32Shape& s = args.shape;
  if (s.groups > 1) return RunNarrowDepthwise(code, args, packed, pool);
  const ConvTilePlan p = MakeConvTilePlan(s, args.forms.x);
  auto* scratch = static_cast<uint8_t*>(args.scratch);
  auto* offsets = reinterpret_cast<int64_t*>(scratch);
  FillOffsets(p, s, offsets);
  const int64_t work =
      s.batch * s.out_plane() * s.out_channels * p.steps * kNarrowBlock;
  const GemmGrid grid =
      SplitConvTiles(p, s, work < kMinTileWork ? 1 : pool->threads());
  const int parts = grid.rows * grid.cols;
  pool->ParallelFor(parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int part = static_cast<int>(i);
      const Share share{&code,
                        &args,
                        &p,
                        packed,
                        offsets,
                        PartOf(p.out_pairs, 1, part % grid.cols, grid.cols),
                        scratch + OffsetsBytes(p) + part * p.CopyBytes()};
      RunShare(share, PartOf(s.batch * p.rows, 1, part / grid.cols, grid.rows));
    }
  });
  ClearImages(args);
}

}  // namespace stint
