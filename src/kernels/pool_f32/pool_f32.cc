#include "kernels/pool_f32/pool_f32.h"

#include <limits>

#include "core/base/checked_math.h"
#include "core/platform/thread_pool.h"

namespace stint {
namespace {

// 8K floats take about 2 us, ten times what a spinning worker takes to join.
constexpr int64_t kGrain = 8 * 1024;

// Inputs of an axis that count in each window: those in the image, or also
// those in the padding.
void CountInputs(const WindowAxis& axis, bool include_pad, int64_t pad_end,
                 float* counts) {
  const int64_t first = include_pad ? -axis.pad : 0;
  const int64_t last = include_pad ? axis.in + pad_end : axis.in;
  for (int64_t o = 0; o < axis.out; ++o) {
    int64_t count = 0;
    for (int64_t k = 0; k < axis.kernel; ++k) {
      const int64_t at = o * axis.stride - axis.pad + k * axis.dilation;
      count += at >= first && at < last;
    }
    counts[o] = static_cast<float>(count);
  }
}

int64_t CountFloats(const PoolF32Args& args) {
  return RoundUp(args.h.out + args.w.out, 16);
}

}  // namespace

int64_t PoolF32ScratchBytes(const PoolF32Args& args, int threads) {
  const int64_t plane = MakePaddedPlane(args.h, args.w).floats;
  return (CountFloats(args) + threads * plane) * int64_t{sizeof(float)};
}

void PoolF32(const PoolF32Kernel& kernel, const PoolF32Args& args,
             ThreadPool* pool) {
  const bool max = args.kind == PoolKind::kMax;
  const float padding = max ? -std::numeric_limits<float>::infinity() : 0;
  const PaddedPlane plane = MakePaddedPlane(args.h, args.w);
  float* count_h = args.scratch;
  float* count_w = count_h + args.h.out;
  float* planes = args.scratch + CountFloats(args);
  if (!max) {
    CountInputs(args.h, args.count_include_pad, args.pad_bottom, count_h);
    CountInputs(args.w, args.count_include_pad, args.pad_right, count_w);
  }
  const int64_t size = args.planes * args.h.in * args.w.in;
  const int parts = size < kGrain ? 1 : pool->threads();
  auto run = [&](int64_t part) {
    float* padded = planes + part * plane.floats;
    FillPadding(plane, padding, padded);
    const int64_t end = args.planes * (part + 1) / parts;
    for (int64_t p = args.planes * part / parts; p < end; ++p) {
      CopyInterior(plane, args.x + p * args.h.in * args.w.in, padded);
      const PoolPlane one{&plane, padded, count_h, count_w,
                          args.y + p * args.h.out * args.w.out};
      max ? kernel.max(one) : kernel.average(one);
    }
  };
  pool->ParallelFor(parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t part = begin; part < end; ++part) run(part);
  });
}

void GlobalAverageF32(const PoolF32Kernel& kernel,
                      const GlobalAverageF32Args& args, ThreadPool* pool) {
  if (args.n == 0) return;
  pool->ParallelFor(args.planes, CeilDiv(kGrain, args.n),
                    [&](int64_t begin, int64_t end) {
                      for (int64_t p = begin; p < end; ++p) {
                        args.y[p] = kernel.sum(args.x + p * args.n, args.n) /
                                    static_cast<float>(args.n);
                      }
                    });
}

}  // namespace stint
