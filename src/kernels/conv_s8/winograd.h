#pragma once
// Byte convolutions of 3x3 by Winograd's F(4x4, 3x3) in integers: 36 products
// of 16 bits make 16 results that take 144 products of 8 bits otherwise. A CPU
// that multiplies half as many numbers of 16 bits as of 8 at once (VNNI) still
// does half of the work.
//
// Results are exact, the same as those of every other kernel. Transformed
// images are integers below 2^14. Of weights, each row of G is taken times what
// makes it whole, and what that leaves to divide by, 576 = 64 * 9, is divided
// at the end: sums wrap around in 32 bits, where dividing by 9 is a product
// with its inverse, and 64 times the result fits (WinogradS8Fits).
//
// Weights take 8 times the bytes that they have, and come from beyond L2
// sooner.

#include <cstdint>

#include "kernels/conv_s8/conv_s8.h"

namespace stint {

struct ConvS8Kernel;

// 3x3 at a stride of 1, one group, more than 4 channels in.
bool WinogradS8Supports(const ConvF32Shape& shape);
// Whether the sums of these weights [out, in, 3, 3] fit with any bytes.
bool WinogradS8Fits(const ConvF32Shape& shape, const int8_t* w);
struct WinogradS8Site {
  int64_t network_weights = 0;  // of all layers, which share the caches
  int threads = 1;
};
// Whether it is clearly faster than direct VNNI for images of this size.
bool WinogradS8Gains(const ConvF32Shape& shape, const WinogradS8Site& site);

int64_t WinogradS8PackedBytes(const ConvS8Kernel& kernel,
                              const ConvF32Shape& shape, int64_t x_pixel);
void WinogradS8Pack(const ConvS8Kernel& kernel, const ConvF32Shape& shape,
                    const ConvS8Weights& weights, int8_t* packed);
int64_t WinogradS8ScratchBytes(const ConvS8Kernel& kernel,
                               const ConvF32Shape& shape, int64_t x_pixel,
                               int threads);
void WinogradS8(const ConvS8Kernel& kernel, const ConvS8Args& args,
                ThreadPool* pool);

}  // namespace stint
