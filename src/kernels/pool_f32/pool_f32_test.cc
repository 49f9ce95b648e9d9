#include "kernels/pool_f32/pool_f32.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/platform/thread_pool.h"
#include "core/testing/isa_variants.h"
#include "kernels/pool_f32/reference.h"
#include "kernels/testing/floats.h"

namespace stint {
namespace {

// Every kind, row and a few thread counts against the reference.
void CheckPool(PoolF32Args args) {
  args.planes = 5;
  const std::vector<float> x =
      RandomFloats(args.planes * args.h.in * args.w.in, 1);
  std::vector<float> want(args.planes * args.h.out * args.w.out);
  args.x = x.data();
  for (PoolKind kind : {PoolKind::kMax, PoolKind::kAverage}) {
    args.kind = kind;
    args.y = want.data();
    ReferencePoolF32(args);
    for (const PoolF32Kernel& kernel : PoolF32Table()) {
      if (!RunsHere(kernel)) continue;
      for (int threads : {1, 2}) {
        SCOPED_TRACE(testing::Message()
                     << kernel.name << " kind " << static_cast<int>(kind)
                     << " width " << args.w.in << " kernel " << args.w.kernel
                     << " stride " << args.w.stride);
        ThreadPool pool(threads);
        std::vector<float> scratch(PoolF32ScratchBytes(args, threads) / 4);
        std::vector<float> got(want.size(), 9.0f);
        args.scratch = scratch.data();
        args.y = got.data();
        PoolF32(kernel, args, &pool);
        ExpectClose(got, want, 1e-6);
      }
    }
  }
}

WindowAxis Axis(int64_t in, int64_t kernel, int64_t stride, int64_t pad) {
  return {in, (in + 2 * pad - kernel) / stride + 1, kernel, stride, 1, pad};
}

TEST(PoolF32, MatchesReferenceAroundTheVector) {
  for (int64_t size : {3, 7, 8, 16, 17, 33, 35}) {
    for (int64_t stride : {1, 2, 3}) {
      PoolF32Args args;
      args.h = Axis(size, 3, stride, 1);
      args.w = Axis(size, 3, stride, 1);
      CheckPool(args);
      args.count_include_pad = true;
      args.pad_bottom = args.pad_right = 1;
      CheckPool(args);
    }
  }
}

TEST(PoolF32, CountsOnlyPaddingInCeilMode) {
  PoolF32Args args;
  args.count_include_pad = true;
  args.h = {6, 3, 3, 2, 1, 0};
  args.w = {7, 4, 3, 2, 1, 1};
  args.pad_right = 1;
  CheckPool(args);
}

TEST(PoolF32, HandlesDilationAndUnequalAxes) {
  PoolF32Args args;
  args.h = {9, 5, 3, 1, 2, 0};
  args.w = {20, 9, 2, 2, 3, 0};
  CheckPool(args);
}

TEST(PoolF32, AveragesWholePlanes) {
  ThreadPool pool(2);
  for (int64_t n : {1, 7, 16, 33, 49, 3000}) {
    const std::vector<float> x = RandomFloats(6 * n, 2);
    std::vector<float> want(6);
    for (int64_t p = 0; p < 6; ++p) {
      want[p] = ReferenceSum(x.data() + p * n, n) / static_cast<float>(n);
    }
    for (const PoolF32Kernel& kernel : PoolF32Table()) {
      if (!RunsHere(kernel)) continue;
      std::vector<float> got(6);
      GlobalAverageF32(kernel, {x.data(), got.data(), 6, n}, &pool);
      ExpectClose(got, want, 1e-6);
    }
  }
}

}  // namespace
}  // namespace stint
