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

// Sums of one output over a row of pixels, whose weights are groups of 4 input
// channels that are not all 0. An entry is a place (group * taps + tap) and its
// 4 weights as the bytes of a word; place p reads at[p] words after a pixel.
struct ConvS8SparseSums {
  const int32_t* entries;  // [count, 2]
  int64_t count;
  const int32_t* at;
  const uint32_t* x;  // 4 channels of a pixel each, in planes
  int64_t pixels;
  int32_t bias;
  int32_t* sums;  // room for kConvS8SparseOverrun more
};

// Words of `pixels` pixels, `pitch` words apart, to rows of `groups` planes.
struct ConvS8SparseSplit {
  const uint32_t* x;
  int64_t pitch;
  int64_t pixels;
  int64_t groups;
  uint32_t* planes;
  int64_t plane;  // words
};

// Sums [kConvS8SparseOutputs, pitch] to bytes of `pixels` pixels.
struct ConvS8SparseFinish {
  const int32_t* sums;
  int64_t pitch;
  int64_t pixels;
  ConvS8Store store;
};

struct ConvS8SparseSet {
  void (*sum)(const ConvS8SparseSums& args);
  void (*split)(const ConvS8SparseSplit& args);
  void (*finish)(const ConvS8SparseFinish& args);
};
// Outputs that are finished together.
inline constexpr int kConvS8SparseOutputs = 16;
inline constexpr int64_t kConvS8SparseOverrun = 128;

// Places of a transformed tile of 6x6.
inline constexpr int64_t kWinogradS8Places = 36;

// Tiles of 6x6 pixels, 4 apart in a row, to transformed ones.
struct WinogradS8Input {
  const uint8_t* x;  // the first pixel of the first tile
  int64_t x_pixel;   // bytes between pixels, of 16
  int64_t x_row;     // bytes between rows
  int64_t tiles;
  int16_t* v;       // [places][tiles][x_pixel], of the first tile
  int64_t v_place;  // numbers between places
};

// One place of some tiles times some vectors of output channels.
struct WinogradS8Product {
  const int16_t* v;  // [tiles][channels]
  int64_t tiles;
  int64_t channels;  // even
  const int16_t* u;  // [channels / 2][vectors][width][2]
  int64_t u_pair;    // numbers between pairs of channels
  int64_t vecs;
  int32_t* m;  // [tiles][vectors][width]
};

// One tile of some vectors, from sums to bytes: up to 4x4 pixels.
struct WinogradS8Result {
  const int32_t* m;  // [places][vectors][width]
  int64_t m_place;   // numbers between places
  int64_t vecs;
  int64_t rows;
  int64_t cols;
  int64_t first;       // its first pixel
  int64_t row_pixels;  // from one row to the next
  const int32_t* bias;
  ConvS8Store store;
};

struct ConvS8WinogradSet {
  int width;     // channels per vector
  int max_vecs;  // at once
  void (*transform)(const WinogradS8Input& input);
  void (*multiply)(const WinogradS8Product& product);
  void (*finish)(const WinogradS8Result& result);
};

}  // namespace stint
