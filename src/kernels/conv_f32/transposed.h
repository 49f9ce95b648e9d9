#pragma once
// Transposed 2-D convolution in fp32, NCHW: every pixel of x adds w, scaled by
// it, to a window of y. A product gives the windows, which are then summed into
// place while they are in cache.

#include <cstdint>

#include "kernels/conv_f32/conv_f32.h"
#include "kernels/gemm_f32/gemm_f32_table.h"

namespace stint {

class ThreadPool;

struct ConvTransposedF32Args {
  // The convolution that leads back from y to x: its input is y, its output x.
  ConvF32Shape shape;
  const float* x = nullptr;     // [batch, out_channels, out_h, out_w]
  const float* w = nullptr;     // written by ConvTransposedF32Pack
  const float* bias = nullptr;  // [in_channels] or null
  float* y = nullptr;           // [batch, in_channels, in_h, in_w]
  float* scratch = nullptr;     // ConvTransposedF32ScratchBytes, 64-aligned
};

// `w` is [out_channels, group_in, kernel_h, kernel_w]; `packed` has as many
// floats, [groups, group_in * taps, group_out].
void ConvTransposedF32Pack(const ConvF32Shape& shape, const float* w,
                           float* packed);

int64_t ConvTransposedF32ScratchBytes(const GemmF32Kernel& gemm,
                                      const ConvF32Shape& shape, int threads);

void ConvTransposedF32(const GemmF32Kernel& gemm,
                       const ConvTransposedF32Args& args, ThreadPool* pool);

}  // namespace stint
