#pragma once
// Winograd convolution F(m x m, 3 x 3) for stride 1: tiles of x are
// transformed, multiplied element by element of the tile as 1x1 convolutions
// over tiles, and transformed back. Fewer products than direct, larger weights
// and rounding errors (m = 4: about ten times those of direct).

#include <cstdint>

#include "kernels/geometry/conv_shape.h"
#include "kernels/simd/activation.h"

namespace stint {

class ThreadPool;
struct ConvBlockedF32Args;
struct ConvBlockedF32Kernel;

// One tile of one plane of x: (m + 2)^2 pixels in, as many elements out.
struct WinogradInput {
  const float* x;  // top left pixel
  int64_t x_row;   // floats between rows
  float* v;        // one pixel per element
  int64_t v_element;
};

// One tile of one output block: m x m pixels out, of which `rows` x `cols` lie
// in the image.
struct WinogradOutput {
  const float* sums;
  int64_t element;
  const float* bias;      // [block] or null
  const float* residual;  // at the tile's first pixel, or null
  float* y;
  int64_t y_row;
  int64_t rows;
  int64_t cols;
  Activation act;
};

struct WinogradSet {
  int m;
  void (*input)(const WinogradInput& tile);
  void (*output)(const WinogradOutput& tile);
};

bool WinogradSupports(const ConvBlockedF32Kernel& kernel,
                      const ConvF32Shape& shape);
int64_t WinogradPackedBytes(const ConvBlockedF32Kernel& kernel,
                            const ConvF32Shape& shape);
void WinogradPack(const ConvBlockedF32Kernel& kernel, const ConvF32Shape& shape,
                  const float* w, float* packed, ThreadPool* pool);
// In fp16 of values times a power of two; returns its inverse. The weights are
// rounded to bf16 first.
float WinogradPackNarrow(const ConvBlockedF32Kernel& kernel,
                         const ConvF32Shape& shape, const float* w,
                         uint16_t* packed, ThreadPool* pool);
int64_t WinogradScratchBytes(const ConvBlockedF32Kernel& kernel,
                             const ConvF32Shape& shape, int threads);
void WinogradConv(const ConvBlockedF32Kernel& kernel,
                  const ConvBlockedF32Args& args, ThreadPool* pool);

}  // namespace stint
