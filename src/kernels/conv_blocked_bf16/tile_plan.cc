#include "kernels/conv_blocked_bf16/tile_plan.h"

#include <algorithm>

#include "kernels/gemm_f32/blocking.h"
#include "kernels/simd/amx_tiles.h"

namespace stint {
namespace {

// The copy of a band beside the weights of a pair of blocks in an L2 of 2 MB.
constexpr int64_t kBandBytes = 768 * 1024;
// Pixels per row of a flat image: enough bands and threads' shares.
constexpr int64_t kFlatCols = 256;

void PlanWindow(const ConvF32Shape& s, ConvTilePlan* p) {
  // Few channels: two taps fill a step, if they are neighbors.
  const bool narrow = s.in_channels <= 16 && s.dilation_w == 1 && !p->flat;
  p->lanes = narrow ? 16 : 32;
  p->planes = CeilDiv(s.in_channels, p->lanes);
  p->step_taps = 32 / p->lanes;
  p->tap_steps = CeilDiv(s.kernel_w, p->step_taps);
  p->window_h = s.kernel_h;
  p->steps = p->planes * p->window_h * p->tap_steps;
}

}  // namespace

ConvTilePlan MakeConvTilePlan(const ConvF32Shape& s) {
  ConvTilePlan p{};
  p.flat = s.taps() == 1;
  p.cols = p.flat ? std::min(s.out_plane(), kFlatCols) : s.out_w;
  p.rows = p.flat ? CeilDiv(s.out_plane(), p.cols) : s.out_h;
  p.stride_h = p.flat ? 1 : s.stride_h;
  p.stride_w = p.flat ? 1 : s.stride_w;
  PlanWindow(s, &p);
  p.units = CeilDiv(p.cols, kTileRows);
  p.tile = CeilDiv(p.cols, p.units);
  p.out_pairs = CeilDiv(s.out_channels, 2 * kConvTileBlock);
  p.pitch = (p.units * p.tile - 1) * p.stride_w +
            (p.tap_steps * p.step_taps - 1) * s.dilation_w + 1;
  const int64_t row_bytes = p.planes * p.pitch * p.PixelBytes() * p.stride_h;
  p.band = EvenBlock(p.rows, std::max<int64_t>(1, kBandBytes / row_bytes), 1);
  p.band_in = (p.band - 1) * p.stride_h + (p.window_h - 1) * s.dilation_h + 1;
  return p;
}

}  // namespace stint
