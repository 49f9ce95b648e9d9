#include "kernels/conv_f32/transposed.h"

#include <algorithm>

#include "core/platform/thread_pool.h"
#include "kernels/gemm_f32/gemm_f32.h"
#include "kernels/geometry/blocking.h"

namespace stint {
namespace {

// Windows of some channels of y: half an L2 of 1 MB.
constexpr int64_t kWindowBytes = 512 * 1024;

// Channels of y whose windows are computed together.
int64_t ChannelsPerStep(const ConvF32Shape& s, int threads) {
  const int64_t bytes = s.taps() * s.out_plane() * int64_t{sizeof(float)};
  const int64_t fit =
      std::max<int64_t>(1, kWindowBytes / std::max<int64_t>(bytes, 1));
  return std::min(fit, CeilDiv(s.group_in(), threads));
}

int64_t PackedFloats(const GemmF32Kernel& gemm, const ConvF32Shape& s) {
  return RoundUp(
      CeilDiv(GemmF32PackedBytes(gemm, s.out_plane(), s.group_out()), 4), 16);
}

int64_t WindowFloats(const ConvF32Shape& s, int threads) {
  return RoundUp(ChannelsPerStep(s, threads) * s.taps() * s.out_plane(), 16);
}

// Indices j in [begin, end) of [0, count) with 0 <= j * stride + first < size.
GemmRange Inside(int64_t first, int64_t stride, int64_t count, int64_t size) {
  const int64_t begin = first >= 0 ? 0 : CeilDiv(-first, stride);
  const int64_t end = first >= size ? 0 : CeilDiv(size - first, stride);
  return {std::min(begin, count), std::clamp<int64_t>(end, 0, count)};
}

// Adds what tap (r, q) of every pixel of x gives to one channel of y.
void AddTap(const ConvF32Shape& s, const float* from, int64_t r, int64_t q,
            float* y) {
  const int64_t top = r * s.dilation_h - s.pad_top;
  const int64_t left = q * s.dilation_w - s.pad_left;
  const GemmRange rows = Inside(top, s.stride_h, s.out_h, s.in_h);
  const GemmRange cols = Inside(left, s.stride_w, s.out_w, s.in_w);
  for (int64_t i = rows.begin; i < rows.end; ++i) {
    const float* row = from + i * s.out_w;
    float* to = y + (i * s.stride_h + top) * s.in_w + left;
    for (int64_t j = cols.begin; j < cols.end; ++j) {
      to[j * s.stride_w] += row[j];
    }
  }
}

// One image and group.
struct Product {
  const GemmF32Kernel* gemm;
  const ConvTransposedF32Args* args;
  int64_t image;
  int64_t group;
  const float* x;  // packed
};

// Channels [channels) of y of the group.
void RunChannels(const Product& p, GemmRange channels, float* windows) {
  const ConvF32Shape& s = p.args->shape;
  const int64_t taps = s.taps();
  GemmF32Args gemm;
  gemm.m = (channels.end - channels.begin) * taps;
  gemm.n = s.out_plane();
  gemm.k = s.group_out();
  gemm.a =
      p.args->w + (p.group * s.group_in() + channels.begin) * taps * gemm.k;
  gemm.lda = gemm.k;
  gemm.b = p.x;
  gemm.c = windows;
  gemm.ldc = gemm.n;
  GemmF32(*p.gemm, gemm, nullptr);
  for (int64_t c = channels.begin; c < channels.end; ++c) {
    const int64_t channel = p.group * s.group_in() + c;
    float* y = p.args->y + (p.image * s.in_channels + channel) * s.in_plane();
    std::fill_n(y, s.in_plane(), p.args->bias ? p.args->bias[channel] : 0.0f);
    const float* from = windows + (c - channels.begin) * taps * gemm.n;
    for (int64_t t = 0; t < taps; ++t) {
      AddTap(s, from + t * gemm.n, t / s.kernel_w, t % s.kernel_w, y);
    }
  }
}

}  // namespace

void ConvTransposedF32Pack(const ConvF32Shape& s, const float* w,
                           float* packed) {
  const int64_t rows = s.group_in() * s.taps();
  for (int64_t g = 0; g < s.groups; ++g) {
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t o = 0; o < s.group_out(); ++o) {
        *packed++ = w[(g * s.group_out() + o) * rows + r];
      }
    }
  }
}

int64_t ConvTransposedF32ScratchBytes(const GemmF32Kernel& gemm,
                                      const ConvF32Shape& s, int threads) {
  return (PackedFloats(gemm, s) + threads * WindowFloats(s, threads)) *
         int64_t{sizeof(float)};
}

void ConvTransposedF32(const GemmF32Kernel& gemm,
                       const ConvTransposedF32Args& args, ThreadPool* pool) {
  const ConvF32Shape& s = args.shape;
  const int threads = pool->threads();
  const int64_t step = ChannelsPerStep(s, threads);
  float* packed = args.scratch;
  for (int64_t i = 0; i < s.batch * s.groups; ++i) {
    const float* x = args.x + i * s.group_out() * s.out_plane();
    GemmF32PackB(gemm, {x, s.out_plane(), false}, s.out_plane(), s.group_out(),
                 packed, pool);
    const Product product{&gemm, &args, i / s.groups, i % s.groups, packed};
    pool->ParallelParts([&](int part) {
      float* windows = args.scratch + PackedFloats(gemm, s) +
                       part * WindowFloats(s, threads);
      const GemmRange share = PartOf(s.group_in(), 1, part, threads);
      for (int64_t c = share.begin; c < share.end; c += step) {
        RunChannels(product, {c, std::min(c + step, share.end)}, windows);
      }
    });
  }
}

}  // namespace stint
