#pragma once
// Byte convolutions (kernels/conv_s8) with weights in coded planes of 2 to 8
// bits. The weights of a panel of output channels are decoded into scratch in
// conv_s8's packed order, once per band of the image, and multiplied by its
// register tiles.
//
// The matrix is W [out_channels, taps * in_channels], channels within taps:
// input (row * kernel_w + column) * in_channels + channel. Bands of blocks have
// multiples of 16 outputs but for the last. There are no outliers: results are
// bytes, so that sums stay integers.

#include <cstdint>
#include <span>

#include "kernels/conv_s8/conv_s8_table.h"
#include "kernels/gemm_codes/coded_matrix.h"

namespace stint {

struct ConvCodesKernel {
  const ConvS8Kernel* products;  // of primitive "direct"
  const CodeDecoder* decoder;
};

// One group, and input channels by four.
bool ConvCodesSupports(const ConvF32Shape& shape);

// The best pair on a machine of level `cap`.
ConvCodesKernel PickConvCodes(Isa cap);

struct ConvCodesWeights {
  std::span<const CodedBlock> blocks;
  // [out_channels]; unlike in conv_s8 the zero point of x is not in it.
  const int32_t* bias = nullptr;
  const float* multiplier = nullptr;  // [out_channels]
};

// 64-byte aligned.
int64_t ConvCodesScratchBytes(const ConvCodesKernel& kernel,
                              const ConvF32Shape& shape, int64_t x_pixel,
                              int threads);

// s = bias[o] + sum of (x - x_zero) * w, then as in conv_s8.h. `args.w` is not
// read, `args.scratch` has ConvCodesScratchBytes.
void ConvCodes(const ConvCodesKernel& kernel, const ConvS8Args& args,
               const ConvCodesWeights& weights, ThreadPool* pool);

}  // namespace stint
