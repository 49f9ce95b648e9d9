#pragma once
// What the register tiles of byte convolutions are handed.

#include <cstdint>

#include "kernels/conv_s8/conv_s8.h"

namespace stint {

// Where results go and how they become bytes.
struct ConvS8Store {
  const float* multiplier;
  int64_t channels;         // bytes stored per pixel
  const uint8_t* residual;  // of the first pixel, or null
  uint8_t* y;               // likewise
  int64_t y_pixel;
  const ConvS8Output* out;
};

// Some rows of pixels times one panel of output channels. Windows are runs of
// contiguous bytes: run (i, j) begins x_step[0] * i + x_step[1] * j after the
// window's first byte and has `groups` steps of 4 bytes.
struct ConvS8Tiles {
  const uint8_t* x;  // the window of the first pixel
  int64_t x_pixel;   // bytes between windows of neighbors in a row
  int64_t x_row;     // bytes between the first windows of neighboring rows
  int64_t cols;      // pixels per row
  int64_t pixels;    // of all rows
  int64_t x_step[2];
  int64_t count[2];
  int64_t groups;
  const int8_t* w;       // the panel: per step, 4 bytes of each channel
  const int8_t* w_next;  // used next, fetched into L2 meanwhile; or null
  int64_t w_next_bytes;
  const int32_t* bias;  // [panel]
  int64_t vecs;         // vectors of channels in the panel
  ConvS8Store store;
};

struct ConvS8TileSet {
  int width;     // channels per vector
  int max_vecs;  // per panel
  void (*run)(const ConvS8Tiles& tiles);
  int groups = 1;            // `groups` of a run are a multiple of it
  int cycle_products = 128;  // per cycle, of one core
};

// One row of outputs of a depthwise convolution. Bytes past the last column
// that a window reads are multiplied by zero weights.
struct ConvS8DepthwiseRow {
  const uint8_t* x;  // the window of the first pixel
  int64_t x_pixel;   // bytes between columns
  int64_t x_line;    // bytes between the rows of a window
  int64_t kernel_h;
  int64_t kernel_w;
  int64_t stride_w;
  int64_t dilation_w;
  int64_t pixels;
  const int8_t* w;      // as PackDepthwiseS8 wrote them
  const int32_t* bias;  // in the order of the weights, as is the multiplier
  ConvS8Store store;
};

struct ConvS8DepthwiseSet {
  int width;  // channels per vector; four vectors are handled at a time
  void (*run)(const ConvS8DepthwiseRow& row);
};

}  // namespace stint
