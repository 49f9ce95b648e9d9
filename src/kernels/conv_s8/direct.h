#pragma once
// Byte convolutions as products of windows and panels of weights. A row of a
// window is one run of contiguous bytes, so that 1x1 is a plain product over
// pixels and the first layer needs no other code. Padded images are copied band
// by band; bands and panels are sized for L2.

#include <cstdint>

#include "core/base/function_ref.h"
#include "kernels/conv_s8/conv_s8.h"

namespace stint {

struct ConvS8Kernel;
struct ConvS8TileSet;
struct DirectS8Plan;

bool DirectS8Supports(const ConvF32Shape& shape);
int64_t DirectS8PackedBytes(const ConvS8Kernel& kernel,
                            const ConvF32Shape& shape, int64_t x_pixel);
void DirectS8Pack(const ConvS8Kernel& kernel, const ConvF32Shape& shape,
                  const ConvS8Weights& weights, int8_t* packed);
int64_t DirectS8ScratchBytes(const ConvS8Kernel& kernel,
                             const ConvF32Shape& shape, int64_t x_pixel,
                             int threads);
void DirectS8(const ConvS8Kernel& kernel, const ConvS8Args& args,
              ThreadPool* pool);

// The weights of one panel of output channels: per step, 4 bytes of each.
struct DirectS8Panel {
  const int8_t* w = nullptr;
  const int8_t* w_next = nullptr;  // of the next panel where it is known
  int64_t w_next_bytes = 0;
  const int32_t* bias = nullptr;
  const float* multiplier = nullptr;
};

// The same with panels from anywhere: panel(part, i) is asked for panel i on
// the thread of that part, and holds until the part's next. `args.w` is not
// read.
void RunDirectS8(const ConvS8TileSet& tiles, const ConvS8Args& args,
                 ThreadPool* pool,
                 FunctionRef<DirectS8Panel(int part, int64_t i)> panel);

}  // namespace stint
