#include "kernels/norm_f32/norm_f32.h"

#include <algorithm>

#include "core/base/checked_math.h"
#include "core/platform/thread_pool.h"

namespace stint {
namespace {

// 8K floats take about 4 us (norm_f32_bench), far more than the 0.15 us a
// spinning worker takes to join.
constexpr int64_t kGrain = 8 * 1024;

}  // namespace

void RowNormF32(RowNormF32Fn run, const RowNormF32Args& args,
                ThreadPool* pool) {
  if (args.n == 0) return;
  pool->ParallelFor(args.rows, CeilDiv(kGrain, args.n),
                    [&](int64_t begin, int64_t end) {
                      RowNormF32Args part = args;
                      part.x += begin * args.n;
                      part.y += begin * args.n;
                      part.rows = end - begin;
                      if (args.mean) part.mean += begin;
                      if (args.inv_std) part.inv_std += begin;
                      run(part);
                    });
}

void ChannelNormF32(const NormF32Kernel& kernel, const ChannelNormF32Args& args,
                    ThreadPool* pool) {
  const bool flat = args.inner == 1;
  const int64_t planes = flat ? args.outer : args.outer * args.channels;
  const int64_t size = std::max<int64_t>(1, flat ? args.channels : args.inner);
  pool->ParallelFor(planes, CeilDiv(kGrain, size),
                    [&](int64_t begin, int64_t end) {
                      ChannelNormF32Args part = args;
                      part.begin = begin;
                      part.end = end;
                      kernel.channel(part);
                    });
}

}  // namespace stint
