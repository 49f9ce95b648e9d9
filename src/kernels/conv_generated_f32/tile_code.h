#pragma once
// What the code of one register tile does, as data, and the assembler that
// makes machine code of it.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/platform/cpu_info.h"
#include "stint/status.h"

namespace stint {

// What generated code is called with. It computes `count` tiles, one behind the
// other.
struct TileCall {
  const float* x;  // what the first tile's first window begins at
  const float* w;
  const float* bias;      // of the first output block
  float* y;               // first pixel of the first output block
  const float* residual;  // like y, or null
  int64_t count;
  float lo;
  float hi;
};
using TileFn = void (*)(const TileCall* call);

// Offsets and strides are in bytes.
struct TileSpec {
  // One pixel that a tap reaches: the sum it adds to and where x is read.
  struct Use {
    int pixel;
    int32_t x;
    bool operator==(const Use&) const = default;
  };
  int pixels = 0;  // sums per output block
  int blocks = 0;  // output blocks
  int block = 0;   // channels of an output block
  // By tap, in the order of the weights; pixels outside the image are left out.
  std::vector<std::vector<Use>> taps;
  std::vector<int32_t> y;  // by pixel
  int lanes = 0;           // channels that lie together in x
  int64_t planes = 0;      // with all their lanes
  int tail = 0;            // lanes of one more plane; 0: there is none
  int32_t x_plane = 0;
  int32_t x_tile = 0;  // from one tile to the next
  int32_t y_tile = 0;
  int32_t y_block = 0;
  int32_t w_block = 0;
  int unroll = 1;  // channels per turn of the inner loop; divides `lanes`
  int ahead = 0;   // planes by which weights are fetched early
  // Of the last output block only the first half has channels: half the work.
  bool half_last = false;
  // Each channel has its own window: one output block, whose channels are those
  // of x; `planes`, `tail` and `unroll` do not count.
  bool depthwise = false;
  bool operator==(const TileSpec&) const = default;
};

// Sums that registers of this level hold for `blocks` output blocks, beside
// weights and a pixel; 0: none.
int GeneratedPixels(Isa isa, int blocks);
// The same for a depthwise window of so many taps.
int GeneratedDepthwisePixels(Isa isa, int64_t taps);

// Taps of a depthwise window whose weights stay in registers.
inline constexpr int64_t kDepthwiseTaps = 9;

// Code that does not depend on where it lies, and where each spec's begins.
struct TileCode {
  std::vector<uint8_t> bytes;
  std::vector<size_t> entries;
};

// kUnsupported where there is no assembler for this machine, or the code would
// be larger than caches for it.
Result<TileCode> AssembleTiles(const std::vector<TileSpec>& specs, Isa isa);

}  // namespace stint
