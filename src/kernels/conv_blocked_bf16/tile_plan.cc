#include "kernels/conv_blocked_bf16/tile_plan.h"

#include <algorithm>

#include "kernels/simd/amx_tiles.h"

namespace stint {
namespace {

// The copy of a band beside the weights of a pair of blocks in an L2 of 2 MB.
constexpr int64_t kBandBytes = 768 * 1024;
// A step of 2 x 2 tiles in ns, and bytes per ns that one core gets of weights
// from memory and of pixels that another core wrote (Sapphire Rapids).
constexpr int64_t kStepNs = 23;
constexpr int64_t kWeightBytesPerNs = 14;
constexpr int64_t kPixelBytesPerNs = 28;

// Channels that a pixel of the copy holds; few channels: neighboring taps fill
// a step together.
int64_t LanesOf(const ConvF32Shape& s, ConvForm x, bool flat) {
  if (x == ConvForm::kPlain) return 4;
  const bool few = s.in_channels <= 16 && s.dilation_w == 1 && !flat;
  return few && x == ConvForm::kBlocked ? 16 : 32;
}

void PlanWindow(const ConvF32Shape& s, ConvTilePlan* p) {
  p->planes = CeilDiv(s.in_channels, p->lanes);
  p->step_taps = 32 / p->lanes;
  p->tap_steps = CeilDiv(s.kernel_w, p->step_taps);
  p->window_h = s.kernel_h;
  p->steps = p->planes * p->window_h * p->tap_steps;
}

bool KeepsPixels(const ConvF32Shape& s) {
  return s.in_w == s.out_w && s.in_h == s.out_h && s.stride_w == 1 &&
         s.stride_h == 1 && s.pad_left == 0 && s.pad_top == 0;
}

// Row tiles of equal size.
void PlanTiles(const ConvF32Shape& s, ConvTilePlan* p) {
  const int64_t pixels = p->flat ? s.out_plane() : s.out_w;
  const int64_t tiles = CeilDiv(pixels, kTileRows);
  p->tile = CeilDiv(pixels, tiles);
  p->units = p->flat ? 1 : tiles;
  p->cols = p->flat ? p->tile : s.out_w;
  p->rows = p->flat ? CeilDiv(pixels, p->tile) : s.out_h;
}

}  // namespace

ConvTilePlan MakeConvTilePlan(const ConvF32Shape& s, ConvForm x) {
  ConvTilePlan p{};
  p.flat = s.taps() == 1 && x != ConvForm::kPlain;
  p.direct = p.flat && x == ConvForm::kNarrow && KeepsPixels(s);
  p.stride_h = p.flat ? 1 : s.stride_h;
  p.stride_w = p.flat ? 1 : s.stride_w;
  p.lanes = LanesOf(s, x, p.flat);
  PlanWindow(s, &p);
  PlanTiles(s, &p);
  p.out_pairs = CeilDiv(s.out_channels, 2 * kConvTileBlock);
  p.pitch = (p.units * p.tile - 1) * p.stride_w +
            (p.tap_steps * p.step_taps - 1) * s.dilation_w + 1;
  const int64_t row_bytes = p.planes * p.pitch * p.PixelBytes() * p.stride_h;
  p.band = EvenBlock(p.rows, std::max<int64_t>(2, kBandBytes / row_bytes), 1);
  p.band_in = (p.band - 1) * p.stride_h + (p.window_h - 1) * s.dilation_h + 1;
  p.plane_bytes =
      (p.direct ? s.in_plane() : p.band_in * p.pitch) * p.PixelBytes();
  return p;
}

GemmGrid SplitConvTiles(const ConvTilePlan& p, const ConvF32Shape& s,
                        int threads) {
  const int64_t weights = p.out_pairs * p.steps * 2 * kTileBytes;
  const int64_t pixels = p.planes * s.in_plane() * p.PixelBytes() * s.batch;
  GemmGrid best{1, 1};
  int64_t best_cost = INT64_MAX;
  for (int rows = threads; rows >= 1; --rows) {
    const GemmGrid grid{rows, threads / rows};
    const int64_t units = CeilDiv(p.rows * s.batch, rows) * p.units;
    const int64_t cost = CeilDiv(units, 2) * CeilDiv(p.out_pairs, grid.cols) *
                             p.steps * kStepNs +
                         weights / grid.cols / kWeightBytesPerNs +
                         pixels / rows / kPixelBytesPerNs;
    if (cost < best_cost) {
      best_cost = cost;
      best = grid;
    }
  }
  return best;
}

}  // namespace stint
