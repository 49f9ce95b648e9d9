#pragma once
// A schedule: how one convolution is cut into register tiles, passes, bands and
// threads. Kernels have a choice of their own for whatever is left at 0.

#include <cstdint>
#include <string>
#include <string_view>

#include "stint/status.h"

namespace stint {

struct ConvSchedule {
  int tile_blocks = 0;  // output blocks per register tile
  int tile_pixels = 0;  // pixels per register tile
  int chunk = 0;        // blocks of input channels per pass over a band
  // Per band: rows of outputs (direct, implicit, spatial), pixels (im2col) or
  // tiles (Winograd).
  int band = 0;
  // Threads as a grid over rows and over output blocks. Winograd shares the
  // work of a band where there is more than one over blocks.
  int row_parts = 0;
  int block_parts = 0;
  // Direct: 1 takes all output blocks of a row before the next row, instead of
  // all rows of a band for the same weights.
  int row_first = 0;
  // Generated code only: rows of a register tile, channels per turn of the
  // inner loop, and blocks of input channels by which weights are fetched
  // early.
  int tile_rows = 0;
  int unroll = 0;
  int ahead = 0;

  bool operator==(const ConvSchedule&) const = default;
  int parts() const { return row_parts * block_parts; }
};

// A schedule and the primitive it is for: one candidate of a layer.
struct ConvPlan {
  std::string primitive;
  ConvSchedule schedule = {};
  bool operator==(const ConvPlan&) const = default;
};

// "direct:t8x2:c4:b16:g2x1:r1" without what is 0.
std::string ToText(const ConvPlan& plan);
// kDamaged with the text when it is no schedule; numbers are at most 65536.
Result<ConvPlan> ParseConvPlan(std::string_view text);

}  // namespace stint
