#pragma once
// What the driver of the convolution on AMX tiles hands to the code of an ISA.

#include <cstdint>

#include "kernels/conv_blocked_bf16/tile_plan.h"
#include "kernels/simd/activation.h"

namespace stint {

// A block of 16 channels of `count` pixels, to be rounded into the copy.
struct ConvPixels {
  const float* x;
  int64_t x_pixel;  // floats between pixels
  uint16_t* to;
  int64_t to_pixel;  // elements between pixels
  int64_t count;
};

// One thread's row tiles and pairs of output blocks of a band of one image.
struct ConvTilePart {
  const ConvTilePlan* plan;
  const uint8_t* copy;     // of the band
  const int64_t* offsets;  // [steps], bytes from a tile's first pixel
  const uint8_t* w;        // as packed
  int64_t unit_begin;      // row tiles, counted from the band's first row
  int64_t unit_end;
  int64_t pair_begin;
  int64_t pair_end;
  int64_t out_blocks;
  int64_t row;     // the band's first
  int64_t pixels;  // of the image
  float* y;        // of the image: [out_blocks, pixels, 16]
  int64_t y_block;
  const float* bias;      // [out_blocks * 16] or null
  const float* residual;  // like y, or null
  Activation act;
};

struct ConvTileCode {
  void (*round)(const ConvPixels& pixels);
  void (*run)(const ConvTilePart& part);
};

}  // namespace stint
