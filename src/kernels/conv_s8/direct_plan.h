#pragma once
// How a direct byte convolution is laid out and cut: runs of a window, panels
// of output channels, bands of rows, shares of threads.

#include <algorithm>
#include <cstdint>

#include "kernels/conv_s8/band.h"
#include "kernels/conv_s8/tiles.h"
#include "kernels/geometry/blocking.h"

namespace stint {

// Bytes of a band of input, which stays in L2 beside the panels of weights that
// pass over it.
inline constexpr int64_t kConvS8BandBytes = 256 * 1024;

struct DirectS8Plan {
  // Runs of a window, as in ConvS8Tiles.
  int64_t runs[2];
  int64_t groups;
  bool whole_rows;  // a run is a row of the window, not a tap
  // Output channels of a group, in vectors and panels.
  int64_t width;
  int64_t vecs;
  int64_t panels;
  int64_t total_panels;  // of all groups
  // Rows of outputs. A flat image is one row after the other without gaps, of
  // all pictures of a batch.
  bool flat;
  bool copy;
  int64_t rows;           // of one picture, or of all when flat
  int64_t images;         // 1 when flat
  int64_t band;           // rows of outputs per band
  int64_t pitch;          // bytes between the rows that windows read
  int64_t scratch_bytes;  // of one thread

  int64_t Steps() const { return runs[0] * runs[1] * groups; }
  GemmRange PanelVecs(int64_t panel) const {
    return {vecs * panel / panels, vecs * (panel + 1) / panels};
  }
  // Of all panels of all groups; bias and multipliers follow.
  int64_t PanelBytes(int64_t shape_groups) const {
    return RoundUp(shape_groups * vecs * width * Steps() * 4, 64);
  }
};

inline DirectS8Plan MakeDirectS8Plan(const ConvS8TileSet& tiles,
                                     const ConvF32Shape& s, int64_t x_pixel) {
  DirectS8Plan p{};
  p.whole_rows = s.groups == 1 && s.dilation_w == 1 && s.taps() > 1 &&
                 (s.in_channels == x_pixel || x_pixel == 4);
  p.runs[0] = s.kernel_h;
  p.runs[1] = p.whole_rows ? 1 : s.kernel_w;
  const int64_t groups =
      p.whole_rows ? s.kernel_w * x_pixel / 4 : CeilDiv(s.group_in(), 4);
  p.groups = RoundUp(groups, tiles.groups);
  p.width = tiles.width;
  p.vecs = CeilDiv(s.group_out(), p.width);
  p.panels = CeilDiv(p.vecs, tiles.max_vecs);
  p.total_panels = p.panels * s.groups;
  // A longer run may leave the last pixel of an image, but not of a copy.
  p.copy = LeavesImage(s) || p.groups > groups;
  p.flat = !p.copy && s.taps() == 1 && s.stride_h == 1 && s.stride_w == 1 &&
           s.in_h == s.out_h && s.in_w == s.out_w;
  p.images = p.flat ? 1 : s.batch;
  p.rows = p.flat ? s.batch * s.out_h : s.out_h;
  const int64_t cols =
      std::max(s.in_w, ConvSpan(s.out_w, s.stride_w, s.kernel_w, s.dilation_w));
  p.pitch = (p.copy ? cols + s.pad_left : s.in_w) * x_pixel;
  const int64_t most =
      std::max<int64_t>(1, kConvS8BandBytes / (p.pitch * s.stride_h + 1));
  p.band = EvenBlock(p.rows, most, 1);
  if (p.copy) {
    p.scratch_bytes = RoundUp(
        ConvSpan(p.band, s.stride_h, s.kernel_h, s.dilation_h) * p.pitch + 64,
        64);
  }
  return p;
}

// Threads over rows x panels. The busiest thread's products and the bytes it
// reads count, at the rates of one core: those of the tiles and 16 bytes per
// cycle.
inline GemmGrid SplitDirectS8(const ConvS8TileSet& tiles, const DirectS8Plan& p,
                              const ConvF32Shape& s, int threads) {
  const int64_t rows = p.rows * p.images;
  const int64_t row_products =
      s.out_w * p.Steps() * 4 * CeilDiv(p.vecs, p.panels) * p.width;
  const int64_t weight_bytes = p.PanelBytes(s.groups);
  const int64_t x_bytes = p.pitch * s.in_h * s.batch;
  GemmGrid best{1, 1};
  int64_t best_cost = INT64_MAX;
  for (int cols = threads; cols >= 1; --cols) {
    const GemmGrid grid{threads / cols, cols};
    const int64_t cost = CeilDiv(rows, grid.rows) *
                             CeilDiv(p.total_panels, cols) * row_products /
                             tiles.cycle_products +
                         (weight_bytes / cols + x_bytes / grid.rows) / 16;
    if (cost < best_cost) {
      best_cost = cost;
      best = grid;
    }
  }
  return best;
}

}  // namespace stint
