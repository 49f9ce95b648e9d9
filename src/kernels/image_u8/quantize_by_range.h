#pragma once
// Images of floats to bytes, channels last, each image by its own range: for
// convolutions whose inputs were not measured before.

#include <cstdint>

#include "kernels/image_u8/image_u8_table.h"

namespace stint {

class ThreadPool;

struct QuantizeByRangeArgs {
  int64_t batch = 1;
  int64_t channels = 0;
  int64_t plane = 0;  // pixels
  // Channels lie side by side in blocks of `block`, the last one filled up, as
  // in conv_blocked_f32; 1: plane by plane.
  int64_t block = 1;
  const float* x = nullptr;     // [batch, blocks, plane, block]
  const float* gate = nullptr;  // [batch, blocks, block], multiplies x; or null
  uint8_t* y = nullptr;         // [batch, plane, channels]
  // y stands for scale * (y - zero); one of each per image. The range of an
  // image, widened to hold 0, becomes 0..255; scale is 0 where all is zero.
  float* scale = nullptr;
  uint8_t* zero = nullptr;
  float* scratch = nullptr;  // QuantizeByRangeScratchBytes
};

int64_t QuantizeByRangeScratchBytes(const QuantizeByRangeArgs& args);

// What fills the last block counts for the range.
void QuantizeByRange(const ImageU8Kernel& kernel,
                     const QuantizeByRangeArgs& args, ThreadPool* pool);

}  // namespace stint
