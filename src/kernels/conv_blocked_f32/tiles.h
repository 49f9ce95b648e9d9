#pragma once
// A row of outputs as register tiles: what the drivers of the direct and
// Winograd convolutions hand to the code of one ISA.

#include <cstdint>

#include "kernels/conv_blocked_f32/conv_blocked_f32.h"
#include "kernels/simd/activation.h"

namespace stint {

inline constexpr int kConvTileBlocks = 4;  // output blocks of a tile at most
inline constexpr int64_t kConvFarFloats = 16;  // a cache line

// y[b, p] (+)= sum over i, r, q, c of
//   x[p * x_pixel + i * x_step[0] + r * x_step[1] + q * x_step[2] + c] *
//   w[b, i, r, q, c], for `pixels` adjacent pixels and `blocks` output blocks.
struct ConvTiles {
  const float* x;
  int64_t x_pixel;
  int64_t x_step[3];
  int64_t count[3];
  int64_t inner;       // steps of c
  int64_t inner_last;  // of the last i
  const float* w;      // contiguous within an output block
  int64_t w_block;
  float* y;         // block floats per pixel
  int64_t y_block;  // floats between output blocks
  int64_t pixels;
  int64_t tile;  // pixels per register tile
  int64_t blocks;
  // Cache lines that are needed soon and fetched into L2 meanwhile, one at each
  // of the `steps` of a tile.
  const float* far;
  int64_t far_lines;
  int64_t steps;
  bool accumulate;        // adds to y: not the first part of the sum
  bool finish;            // last part of the sum: what follows is applied
  const float* bias;      // [blocks, block] or null
  const float* residual;  // laid out like y, or null
  Activation act;
};

// The register tiles of one ISA.
struct ConvTileSet {
  int block;
  int max_pixels[kConvTileBlocks];  // of a tile of 1, 2, ... blocks; 0: none
  void (*run)(const ConvTiles& tiles);
  WidenWeightsFn widen_bf16;
  WidenWeightsFn widen_f16;
};

}  // namespace stint
