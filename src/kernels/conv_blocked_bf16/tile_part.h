#pragma once
// What the drivers of convolutions on AMX tiles hand to the code of an ISA.

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

// Up to four channels of `count` neighbors, to be rounded into pixels of four.
struct ConvPlainPixels {
  const float* x;
  int64_t channels;
  int64_t plane;  // floats between channels
  uint16_t* to;
  int64_t count;
};

// One thread's row tiles and pairs of output blocks of a band of one image.
struct ConvTilePart {
  const ConvTilePlan* plan;
  const uint8_t* a;        // the copy of the band, or the image if direct
  const int64_t* offsets;  // [steps], bytes from a tile's first pixel
  const uint8_t* w;        // as packed
  int64_t unit_end;        // row tiles, counted from the band's first row
  int64_t pair_begin;
  int64_t pair_end;
  int64_t out_blocks;
  int64_t row;     // the band's first
  int64_t pixels;  // of the image
  ConvForms forms;
  void* y;                  // of the image
  const float* bias;        // or null
  const void* residual;     // of the image, or null
  int64_t residual_blocks;  // of 16 channels
  Activation act;
};

// One row of outputs of a depthwise convolution, one block of 32 channels.
struct NarrowDepthwiseRow {
  const ConvF32Shape* shape;
  int64_t row;
  const uint16_t* x;         // the block's image [in_h, in_w, 32]
  const uint16_t* w;         // [kernel_h, kernel_w, 32]
  const float* bias;         // [32] or null
  const uint16_t* residual;  // the row's, or null
  uint16_t* y;               // [out_w, 32]
  Activation act;
};

struct ConvTileCode {
  void (*round)(const ConvPixels& pixels);
  void (*round_plain)(const ConvPlainPixels& pixels);
  void (*run)(const ConvTilePart& part);
  void (*depthwise)(const NarrowDepthwiseRow& row);
};

}  // namespace stint
