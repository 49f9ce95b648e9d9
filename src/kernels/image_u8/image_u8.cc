#include "kernels/image_u8/image_u8.h"

#include <algorithm>
#include <cstring>

#include "core/base/checked_math.h"
#include "core/platform/thread_pool.h"

namespace stint {
namespace {

// Bytes below which a second thread costs more than it saves.
constexpr int64_t kMinParallelBytes = 16 * 1024;

// Pixels converted at a time; a chunk of them by channels stays in L1.
constexpr int64_t kPixels = 64;
constexpr int64_t kChannels = 64;

// One pixel's window: pointers to its taps inside the image.
int64_t CollectTaps(const PoolU8Args& args, const uint8_t* image, int64_t i,
                    int64_t j, const uint8_t** taps) {
  int64_t count = 0;
  for (int64_t r = 0; r < args.h.kernel; ++r) {
    const int64_t y = i * args.h.stride - args.h.pad + r * args.h.dilation;
    if (y < 0 || y >= args.h.in) continue;
    for (int64_t s = 0; s < args.w.kernel; ++s) {
      const int64_t x = j * args.w.stride - args.w.pad + s * args.w.dilation;
      if (x < 0 || x >= args.w.in) continue;
      taps[count++] = image + (y * args.w.in + x) * args.pixel;
    }
  }
  return count;
}

// Taps of window `i` that are inside the padded image.
int64_t PaddedTaps(const ImageAxis& axis, int64_t i) {
  int64_t count = 0;
  for (int64_t r = 0; r < axis.kernel; ++r) {
    const int64_t at = i * axis.stride - axis.pad + r * axis.dilation;
    count += at < axis.in + axis.pad_end;
  }
  return count;
}

void PoolRow(const ImageU8Kernel& kernel, const PoolU8Args& args, int64_t row) {
  const int64_t i = row % args.h.out;
  const uint8_t* image =
      args.x + row / args.h.out * args.h.in * args.w.in * args.pixel;
  uint8_t* y = args.y + row * args.w.out * args.pixel;
  const uint8_t* taps[kMaxPoolU8Taps];
  for (int64_t j = 0; j < args.w.out; ++j, y += args.pixel) {
    const int64_t count = CollectTaps(args, image, i, j, taps);
    if (count == 0) {
      std::memset(y, args.zero, static_cast<size_t>(args.pixel));
    } else if (args.average) {
      const int64_t over = args.count_include_pad
                               ? PaddedTaps(args.h, i) * PaddedTaps(args.w, j)
                               : count;
      kernel.sum(taps, count, args.pixel,
                 {1.0f / static_cast<float>(over), args.zero, args.zero}, y);
    } else {
      kernel.max(taps, count, args.pixel, y);
    }
  }
}

// Calls body(first pixel, pixels) of one image for chunks of pixels, spread
// over threads.
template <class Body>
void ForChunks(const ImageU8Shape& shape, ThreadPool* pool, Body body) {
  const int64_t chunks = CeilDiv(shape.plane, kPixels);
  pool->ParallelFor(
      shape.batch * chunks, CeilDiv(kMinParallelBytes, kPixels * shape.pixel),
      [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const int64_t first = i % chunks * kPixels;
          body(i / chunks, first, std::min(kPixels, shape.plane - first));
        }
      });
}

}  // namespace

void PoolU8(const ImageU8Kernel& kernel, const PoolU8Args& args,
            ThreadPool* pool) {
  const int64_t row_bytes =
      args.w.out * args.pixel * args.h.kernel * args.w.kernel;
  pool->ParallelFor(args.batch * args.h.out,
                    CeilDiv(kMinParallelBytes, row_bytes + 1),
                    [&](int64_t begin, int64_t end) {
                      for (int64_t r = begin; r < end; ++r) {
                        PoolRow(kernel, args, r);
                      }
                    });
}

void GlobalAverageU8(const ImageU8Kernel& kernel,
                     const GlobalAverageU8Args& args, ThreadPool* pool) {
  const ImageU8Shape& s = args.shape;
  const bool small = s.plane * s.pixel < kMinParallelBytes;
  const int threads = small ? 1 : pool->threads();
  for (int64_t n = 0; n < s.batch; ++n) {
    const uint8_t* x = args.x + n * s.plane * s.pixel;
    const auto add = [&](int part) {
      if (part >= threads) return;
      int32_t* sums = args.sums + part * s.pixel;
      const int64_t begin = s.plane * part / threads;
      const int64_t end = s.plane * (part + 1) / threads;
      kernel.add_pixels(x + begin * s.pixel, end - begin, s.pixel, sums);
    };
    if (threads == 1) {
      add(0);
    } else {
      pool->ParallelParts(add);
    }
    for (int64_t c = 0; c < s.channels; ++c) {
      int64_t sum = 0;
      for (int t = 0; t < threads; ++t) sum += args.sums[t * s.pixel + c];
      args.y[n * s.channels + c] =
          static_cast<float>(sum - s.plane * args.zero) * args.scale /
          static_cast<float>(s.plane);
    }
  }
}

void QuantizeImageU8(const ImageU8Kernel& kernel, const ImageU8Shape& shape,
                     const ByteAffine& affine, const float* x, uint8_t* y,
                     ThreadPool* pool) {
  ForChunks(shape, pool, [&](int64_t n, int64_t first, int64_t pixels) {
    uint8_t bytes[kChannels][kPixels];
    for (int64_t c = 0; c < shape.pixel; c += kChannels) {
      const int64_t stored = std::min(kChannels, shape.pixel - c);
      for (int64_t k = 0; k < stored; ++k) {
        if (c + k >= shape.channels) {
          std::memset(bytes[k], affine.out_zero, kPixels);
          continue;
        }
        const int64_t plane = n * shape.channels + c + k;
        kernel.quantize(x + plane * shape.plane + first, pixels, affine,
                        bytes[k]);
      }
      uint8_t* to = y + (n * shape.plane + first) * shape.pixel + c;
      if (stored == 4) {
        for (int64_t p = 0; p < pixels; ++p) {
          for (int64_t k = 0; k < 4; ++k) to[p * 4 + k] = bytes[k][p];
        }
        continue;
      }
      for (int64_t p = 0; p < pixels; ++p) {
        for (int64_t k = 0; k < stored; ++k) {
          to[p * shape.pixel + k] = bytes[k][p];
        }
      }
    }
  });
}

void DequantizeImageU8(const ImageU8Kernel& kernel, const ImageU8Shape& shape,
                       const ByteAffine& affine, const uint8_t* x, float* y,
                       ThreadPool* pool) {
  ForChunks(shape, pool, [&](int64_t n, int64_t first, int64_t pixels) {
    uint8_t bytes[kPixels];
    for (int64_t c = 0; c < shape.channels; ++c) {
      const uint8_t* from = x + (n * shape.plane + first) * shape.pixel + c;
      for (int64_t p = 0; p < pixels; ++p) bytes[p] = from[p * shape.pixel];
      kernel.dequantize(bytes, pixels, affine,
                        y + (n * shape.channels + c) * shape.plane + first);
    }
  });
}

}  // namespace stint
