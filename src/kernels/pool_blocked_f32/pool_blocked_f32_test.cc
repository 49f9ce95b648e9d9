#include "kernels/pool_blocked_f32/pool_blocked_f32.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/base/float_bits.h"
#include "core/platform/thread_pool.h"
#include "core/testing/isa_variants.h"
#include "kernels/pool_f32/reference.h"
#include "kernels/testing/floats.h"

namespace stint {
namespace {

// [planes * block, n] to [planes, n, block].
std::vector<float> Blocked(const std::vector<float>& plain, int64_t n,
                           int64_t block) {
  std::vector<float> out(plain.size());
  for (size_t i = 0; i < plain.size(); ++i) {
    const int64_t at = static_cast<int64_t>(i);
    const int64_t c = at / n;
    out[(c / block * n + at % n) * block + c % block] = plain[i];
  }
  return out;
}

void CheckKernel(const PoolBlockedF32Kernel& kernel, PoolF32Args args) {
  const int64_t planes = 3;
  const int64_t in = args.h.in * args.w.in;
  const int64_t out = args.h.out * args.w.out;
  const std::vector<float> plain = RandomFloats(planes * kernel.block * in, 1);
  std::vector<float> want(planes * kernel.block * out);
  args.planes = planes * kernel.block;
  args.x = plain.data();
  args.y = want.data();
  ReferencePoolF32(args);
  const std::vector<float> x = Blocked(plain, in, kernel.block);
  args.planes = planes;
  args.x = x.data();
  for (int threads : {1, 2, 3}) {
    SCOPED_TRACE(testing::Message() << kernel.name << " width " << args.w.in
                                    << " stride " << args.w.stride);
    ThreadPool pool(threads);
    std::vector<float> got(want.size(), 9.0f);
    args.y = got.data();
    PoolBlockedF32(kernel, args, &pool);
    ExpectClose(got, Blocked(want, out, kernel.block), 1e-6);
  }
}

void CheckPool(PoolF32Args args) {
  for (PoolKind kind : {PoolKind::kMax, PoolKind::kAverage}) {
    args.kind = kind;
    for (const PoolBlockedF32Kernel& kernel : PoolBlockedF32Table()) {
      if (RunsHere(kernel)) CheckKernel(kernel, args);
    }
  }
}

WindowAxis Axis(int64_t in, int64_t kernel, int64_t stride, int64_t pad) {
  return {in, (in + 2 * pad - kernel) / stride + 1, kernel, stride, 1, pad};
}

TEST(PoolBlockedF32, MatchesReference) {
  for (int64_t size : {3, 7, 14, 17}) {
    for (int64_t stride : {1, 2, 3}) {
      PoolF32Args args;
      args.h = args.w = Axis(size, 3, stride, 1);
      CheckPool(args);
      args.count_include_pad = true;
      args.pad_bottom = args.pad_right = 1;
      CheckPool(args);
    }
  }
}

TEST(PoolBlockedF32, CountsOnlyPaddingInCeilMode) {
  PoolF32Args args;
  args.count_include_pad = true;
  args.h = {6, 3, 3, 2, 1, 0};
  args.w = {7, 4, 3, 2, 1, 1};
  args.pad_right = 1;
  CheckPool(args);
  args.count_include_pad = false;
  CheckPool(args);
}

TEST(PoolBlockedF32, HandlesDilationAndUnequalAxes) {
  PoolF32Args args;
  args.h = {9, 5, 3, 1, 2, 0};
  args.w = {20, 9, 2, 2, 3, 0};
  CheckPool(args);
}

TEST(PoolBlockedF32, NarrowMaximaMatchReference) {
  for (int64_t size : {3, 7, 18}) {
    PoolF32Args args;
    args.h = Axis(size, 3, 2, 1);
    args.w = Axis(size + 1, 3, 1, 1);
    args.planes = 2;
    std::vector<uint16_t> x;
    for (float v : RandomFloats(2 * size * (size + 1) * kPoolNarrowBlock, 3)) {
      x.push_back(FloatToBFloat16(v));
    }
    const int64_t out = 2 * args.h.out * args.w.out * kPoolNarrowBlock;
    std::vector<uint16_t> want(static_cast<size_t>(out));
    ThreadPool one(1), two(2);
    MaxPoolNarrow(PoolBlockedF32Table().back(), args, x.data(), want.data(),
                  &one);
    for (const PoolBlockedF32Kernel& kernel : PoolBlockedF32Table()) {
      if (!RunsHere(kernel)) continue;
      std::vector<uint16_t> got(want.size());
      MaxPoolNarrow(kernel, args, x.data(), got.data(), &two);
      EXPECT_EQ(got, want) << kernel.name;
    }
  }
}

TEST(PoolBlockedF32, AveragesWholePlanes) {
  ThreadPool pool(2);
  for (const PoolBlockedF32Kernel& kernel : PoolBlockedF32Table()) {
    if (!RunsHere(kernel)) continue;
    for (int64_t n : {1, 7, 16, 49, 300}) {
      const std::vector<float> plain = RandomFloats(6 * kernel.block * n, 2);
      std::vector<float> want(6 * kernel.block);
      for (size_t c = 0; c < want.size(); ++c) {
        want[c] = ReferenceSum(plain.data() + c * n, n) / static_cast<float>(n);
      }
      const std::vector<float> x = Blocked(plain, n, kernel.block);
      std::vector<float> got(want.size());
      GlobalAverageBlockedF32(kernel, {x.data(), got.data(), 6, n}, &pool);
      ExpectClose(got, want, 1e-6);
    }
  }
}

}  // namespace
}  // namespace stint
