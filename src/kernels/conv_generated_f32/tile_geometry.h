#pragma once
// How an image is cut into generated register tiles, and what each tile reads.

#include "kernels/conv_blocked_f32/conv_blocked_f32_table.h"
#include "kernels/conv_blocked_f32/conv_schedule.h"
#include "kernels/conv_generated_f32/tile_code.h"
#include "kernels/geometry/blocking.h"

namespace stint {

inline constexpr int kGeneratedBlocks = 6;  // output blocks of a tile at most

struct TileGeometry {
  // 1x1 kernels see an image as rows of several tiles each, the last of which
  // may end early.
  ConvF32Shape shape;
  int64_t out_pixels;  // that exist
  int64_t out_block;   // bytes between output blocks
  int64_t in_plane;    // pixels of a plane of x
  int block;
  int lanes;  // channels that lie together in x: a block, or 1 if plain
  int rows;   // of a tile
  int cols;
  int blocks;
  int unroll;
  int ahead;
  bool depthwise;

  // Columns of the tile at this place; 0: it lies behind the last pixel.
  int64_t ColsAt(int64_t row, int64_t col) const;
  // Floats from the first pixel of x to where the window of an output begins;
  // may lie outside of the image.
  int64_t InputAt(int64_t row, int64_t col) const;
  // `last`: the tile has the last output block.
  TileSpec SpecOf(GemmRange tile_rows, GemmRange tile_cols, int64_t tile_blocks,
                  bool last) const;
};

// Each channel by itself.
inline bool IsDepthwise(const ConvF32Shape& shape, ImageLayout input) {
  return input == ImageLayout::kBlocked && shape.group_in() == 1 &&
         shape.group_out() == 1;
}

TileGeometry MakeTileGeometry(const ConvF32Shape& shape, ImageLayout input,
                              const ConvSchedule& schedule, Isa isa);

}  // namespace stint
