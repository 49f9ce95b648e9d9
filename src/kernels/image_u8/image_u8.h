#pragma once
// Whole images of bytes, [batch, h, w, stored channels], spread over threads:
// pooling, averages, sums, gates, concatenation, and conversion from and to
// [batch, channels, h, w] in fp32.

#include <cstdint>

#include "kernels/image_u8/image_u8_table.h"

namespace stint {

class ThreadPool;

// One axis of pooling.
struct ImageAxis {
  int64_t in;
  int64_t out;
  int64_t kernel;
  int64_t stride;
  int64_t dilation;
  int64_t pad;
  int64_t pad_end;  // only counted, with count_include_pad
};

struct PoolU8Args {
  bool average = false;
  bool count_include_pad = false;  // padding counts as `zero`
  int64_t batch = 1;
  int64_t pixel = 0;  // bytes per pixel
  ImageAxis h = {};
  ImageAxis w = {};
  int zero = 0;  // of x and y; only for averages
  const uint8_t* x = nullptr;
  uint8_t* y = nullptr;
};
// A window has at most kMaxPoolU8Taps taps.
inline constexpr int64_t kMaxPoolU8Taps = 256;
void PoolU8(const ImageU8Kernel& kernel, const PoolU8Args& args,
            ThreadPool* pool);

// An image of bytes and its plain form.
struct ImageU8Shape {
  int64_t batch = 1;
  int64_t channels = 0;
  int64_t plane = 0;  // pixels
  int64_t pixel = 0;  // bytes per pixel, >= channels
};

// y[n, c] = scale * (mean of x[n, :, c] - zero), channels side by side.
// `sums` are batch * pixel int32, one set per thread.
struct GlobalAverageU8Args {
  ImageU8Shape shape;
  float scale = 1;
  int zero = 0;
  const uint8_t* x = nullptr;
  float* y = nullptr;       // [batch, channels]
  int32_t* sums = nullptr;  // [threads, pixel]
};
void GlobalAverageU8(const ImageU8Kernel& kernel,
                     const GlobalAverageU8Args& args, ThreadPool* pool);

// Bytes past the last channel become `affine.out_zero`.
void QuantizeImageU8(const ImageU8Kernel& kernel, const ImageU8Shape& shape,
                     const ByteAffine& affine, const float* x, uint8_t* y,
                     ThreadPool* pool);
void DequantizeImageU8(const ImageU8Kernel& kernel, const ImageU8Shape& shape,
                       const ByteAffine& affine, const uint8_t* x, float* y,
                       ThreadPool* pool);

}  // namespace stint
