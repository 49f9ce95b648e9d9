#include "kernels/conv_blocked_f32/direct/direct_schedule.h"

#include <algorithm>

#include "kernels/simd/padded_plane.h"

namespace stint {
namespace {

// Input of a band: half an L2 of 1 MB or more, so that every output block but
// the first finds it there.
constexpr int64_t kBandBytes = 640 * 1024;

// Cycles of one step of c in a tile: two products per cycle, which wait for
// each other when there are few, and a little for loads and the loop (tiles of
// 3 x 8 and 4 x 6 run 3 % faster than 2 x 14 on data in L1).
double StepCycles(int64_t pixels, int64_t blocks) {
  const double products = static_cast<double>(pixels * blocks);
  const double loads = static_cast<double>(pixels + blocks);
  return std::max({products / 2, loads / 2, 5.0}) + 0.06 * loads + 0.3;
}

double RowCycles(int64_t cols, int64_t tile, int64_t blocks) {
  const int64_t rest = cols % tile;
  return static_cast<double>(cols / tile) * StepCycles(tile, blocks) +
         (rest ? StepCycles(rest, blocks) : 0);
}

WindowAxis AxisH(const ConvF32Shape& s) {
  return {s.in_h, s.out_h, s.kernel_h, s.stride_h, s.dilation_h, s.pad_top};
}
WindowAxis AxisW(const ConvF32Shape& s) {
  return {s.in_w, s.out_w, s.kernel_w, s.stride_w, s.dilation_w, s.pad_left};
}

bool NeedsPadding(const WindowAxis& axis) {
  return axis.pad > 0 || WindowReach(axis) > axis.in;
}

// Rows of a flat image: long ones call less, but threads need enough of them.
int64_t FlatCols(int64_t plane, int64_t tile) {
  const int64_t tiles = std::clamp<int64_t>(plane / tile / 16, 1, 8);
  return std::min(plane, tiles * tile);
}

void PickView(const ConvF32Shape& s, DirectSchedule* d) {
  const bool padded = NeedsPadding(AxisH(s)) || NeedsPadding(AxisW(s));
  d->sample = s.taps() == 1 && (s.stride_h > 1 || s.stride_w > 1);
  d->copy = padded || d->sample;
  d->flat = s.taps() == 1 && !d->copy && s.in_h == s.out_h && s.in_w == s.out_w;
  d->pitch = d->sample ? s.out_w : d->copy ? WindowReach(AxisW(s)) : s.in_w;
  d->cols = s.out_w;
  d->rows = s.out_h;
}

}  // namespace

ConvTileChoice PickConvTile(const ConvTileSet& tiles, int64_t cols,
                            int64_t out_blocks, int64_t most_blocks) {
  ConvTileChoice choice{1, 1};
  double best = 0;
  for (int64_t blocks = 1; blocks <= most_blocks; ++blocks) {
    const int64_t rest = out_blocks % blocks;
    for (int64_t tile = 1; tile <= tiles.max_pixels[blocks - 1]; ++tile) {
      const double cycles = static_cast<double>(out_blocks / blocks) *
                                RowCycles(cols, tile, blocks) +
                            (rest ? RowCycles(cols, tile, rest) : 0);
      if (best > 0 && cycles >= best) continue;
      best = cycles;
      choice = {blocks, tile};
    }
  }
  return choice;
}

ConvTileChoice ScheduledTile(const ConvTileSet& tiles,
                             const ConvSchedule& schedule,
                             const ConvTileChoice& own, int64_t most_blocks) {
  ConvTileChoice choice = own;
  if (schedule.tile_blocks > 0) {
    choice.blocks = std::min<int64_t>(schedule.tile_blocks, most_blocks);
    while (tiles.max_pixels[choice.blocks - 1] == 0) --choice.blocks;
  }
  const int64_t most_pixels = tiles.max_pixels[choice.blocks - 1];
  if (schedule.tile_pixels > 0) choice.pixels = schedule.tile_pixels;
  choice.pixels = std::clamp<int64_t>(choice.pixels, 1, most_pixels);
  return choice;
}

DirectSchedule MakeDirectSchedule(const ConvTileSet& tiles, bool plain,
                                  const ConvF32Shape& s,
                                  const ConvSchedule& schedule) {
  DirectSchedule d{};
  d.lanes = plain ? 1 : tiles.block;
  d.planes = CeilDiv(s.group_in(), d.lanes);
  d.out_blocks = CeilDiv(s.group_out(), tiles.block);
  PickView(s, &d);
  if (d.flat) d.cols = s.out_plane();
  const int64_t most_blocks = plain ? 2 : kConvTileBlocks;
  const ConvTileChoice choice = ScheduledTile(
      tiles, schedule, PickConvTile(tiles, d.cols, d.out_blocks, most_blocks),
      most_blocks);
  d.blocks = choice.blocks;
  d.tile = choice.pixels;
  if (d.flat) d.cols = FlatCols(s.out_plane(), d.tile);
  if (d.flat) d.rows = CeilDiv(s.out_plane(), d.cols);
  const int64_t float_bytes = sizeof(float);
  const int64_t row_stride = d.flat ? 1 : s.stride_h;
  const int64_t row_bytes = d.planes * d.lanes * float_bytes *
                            (d.flat ? d.cols : d.pitch) *
                            (d.sample ? 1 : row_stride);
  const int64_t band =
      schedule.band > 0 ? schedule.band : kBandBytes / row_bytes;
  d.band = EvenBlock(d.rows, std::max<int64_t>(1, band), 1);
  d.band_in = d.sample ? d.band
                       : (d.band - 1) * row_stride +
                             (s.kernel_h - 1) * s.dilation_h + 1;
  const int64_t plane_bytes =
      d.lanes * s.taps() * d.blocks * tiles.block * float_bytes;
  const int64_t chunk =
      schedule.chunk > 0 ? schedule.chunk : kConvPassBytes / plane_bytes;
  d.chunk = EvenBlock(d.planes, std::max<int64_t>(1, chunk), 1);
  return d;
}

GemmGrid SplitDirect(const DirectSchedule& d, const ConvF32Shape& s,
                     int threads) {
  const double w_floats =
      static_cast<double>(s.group_out() * s.group_in() * s.taps());
  const double x_floats =
      static_cast<double>(s.batch * s.group_in() * s.in_plane());
  GemmGrid best{1, 1};
  double best_cost = 0;
  for (int cols = 1; cols <= threads; ++cols) {
    const int rows = threads / cols;
    // Work of the busiest thread, and a little for what is read twice.
    const double work = static_cast<double>(CeilDiv(d.rows * s.batch, rows) *
                                            CeilDiv(d.out_blocks, cols));
    const double whole = static_cast<double>(d.rows * s.batch * d.out_blocks);
    const double reads =
        (w_floats * rows + x_floats * cols) / (w_floats + x_floats);
    const double cost = work / whole + 0.02 * reads;
    if (cols == 1 || cost < best_cost) {
      best_cost = cost;
      best = {rows, cols};
    }
  }
  return best;
}

}  // namespace stint
