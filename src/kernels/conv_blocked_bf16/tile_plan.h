#pragma once
// How a convolution is cut for AMX tiles: a product of pixels by output
// channels whose sum runs over planes of channels and taps. Pixels come from a
// copy of the image in bf16 that holds the padding, or from the image itself. A
// row tile is up to 16 neighboring pixels of a row of outputs, all of the same
// size, so that the tile registers keep one shape.

#include <cstdint>

#include "core/base/checked_math.h"
#include "kernels/conv_blocked_bf16/conv_forms.h"
#include "kernels/geometry/blocking.h"

namespace stint {

inline constexpr int64_t kConvTileBlock = 16;  // channels per tile of y

struct ConvTilePlan {
  // A 1x1 kernel sees its pixels one after the other, in rows of one row tile;
  // others see rows of the image.
  bool flat;
  bool direct;   // reads the image: flat, narrow and of the size of y
  int64_t rows;  // of outputs
  int64_t cols;  // pixels of a row; the last row of a flat image may be shorter
  int64_t stride_h;  // in the copy
  int64_t stride_w;

  int64_t lanes;      // channels per pixel and plane: 4, 16 or 32
  int64_t planes;     // of the copy
  int64_t step_taps;  // neighboring taps per step: lanes * step_taps = 32
  int64_t tap_steps;  // steps per row of the window
  int64_t window_h;
  int64_t steps;  // in all

  int64_t tile;       // pixels per row tile
  int64_t units;      // row tiles per row
  int64_t out_pairs;  // pairs of output blocks

  int64_t pitch;        // pixels per row of the copy
  int64_t band;         // rows of outputs per band
  int64_t band_in;      // rows of the copy per band
  int64_t plane_bytes;  // between planes

  int64_t PixelBytes() const { return lanes * 2; }
  // Of one thread.
  int64_t CopyBytes() const {
    return direct ? 0 : RoundUp(planes * plane_bytes, 64);
  }
};

ConvTilePlan MakeConvTilePlan(const ConvF32Shape& shape, ConvForm x);

// Threads over rows x pairs of output blocks.
GemmGrid SplitConvTiles(const ConvTilePlan& plan, const ConvF32Shape& shape,
                        int threads);

}  // namespace stint
