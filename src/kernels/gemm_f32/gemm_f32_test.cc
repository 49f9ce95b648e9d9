#include "kernels/gemm_f32/gemm_f32.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/testing/isa_variants.h"
#include "kernels/gemm_f32/reference.h"
#include "kernels/testing/floats.h"

namespace stint {
namespace {

struct Case {
  int64_t m;
  int64_t n;
  int64_t k;
  bool transposed = false;
  bool bias_m = false;
  bool bias_n = false;
  float alpha = 1;
  Activation act = {};
  bool residual = false;
};

std::vector<const GemmF32Kernel*> Runnable() {
  std::vector<const GemmF32Kernel*> rows;
  for (const GemmF32Kernel& kernel : GemmF32Table()) {
    if (RunsHere(kernel)) rows.push_back(&kernel);
  }
  return rows;
}

// Operands with a leading dimension wider than the matrix.
struct Operands {
  explicit Operands(const Case& c)
      : lda(c.k + 3),
        ldc(c.n + 5),
        ldr(c.n + 2),
        a(RandomFloats(c.m * lda, 1)),
        b(RandomFloats(c.k * c.n, 2)),
        bias(RandomFloats(c.m + c.n, 3)),
        residual(RandomFloats(c.m * ldr, 4)),
        want(static_cast<size_t>(c.m * ldc), 7.0f) {
    GemmF32Block block{.a = a.data(),
                       .lda = lda,
                       .b = b.data(),
                       .ldb = c.n,
                       .b_next = nullptr,
                       .c = want.data(),
                       .ldc = ldc,
                       .m = c.m,
                       .n = c.n,
                       .k = c.k,
                       .accumulate = false,
                       .finish = true,
                       .alpha = c.alpha,
                       .bias_m = c.bias_m ? bias.data() : nullptr,
                       .bias_n = c.bias_n ? bias.data() + c.m : nullptr,
                       .residual = c.residual ? residual.data() : nullptr,
                       .ldr = ldr,
                       .act = c.act};
    ReferenceGemmF32(block);
  }
  // B as stored: [k,n] or [n,k].
  std::vector<float> Stored(const Case& c) const {
    if (!c.transposed) return b;
    std::vector<float> t(b.size());
    for (int64_t p = 0; p < c.k; ++p) {
      for (int64_t j = 0; j < c.n; ++j) t[j * c.k + p] = b[p * c.n + j];
    }
    return t;
  }

  int64_t lda;
  int64_t ldc;
  int64_t ldr;
  std::vector<float> a;
  std::vector<float> b;
  std::vector<float> bias;
  std::vector<float> residual;
  std::vector<float> want;
};

void CheckCase(const Case& c, int threads) {
  const Operands ops(c);
  const std::vector<float> stored = ops.Stored(c);
  ThreadPool pool(threads);
  for (const GemmF32Kernel* kernel : Runnable()) {
    SCOPED_TRACE(testing::Message() << kernel->name << " " << c.m << "x" << c.n
                                    << "x" << c.k << " threads " << threads);
    std::vector<float> packed(GemmF32PackedBytes(*kernel, c.n, c.k) / 4);
    GemmF32PackB(*kernel,
                 {stored.data(), c.transposed ? c.k : c.n, c.transposed}, c.n,
                 c.k, packed.data(), &pool);
    std::vector<float> got(ops.want.size(), 7.0f);
    GemmF32Args args{.m = c.m,
                     .n = c.n,
                     .k = c.k,
                     .a = ops.a.data(),
                     .lda = ops.lda,
                     .b = packed.data(),
                     .c = got.data(),
                     .ldc = ops.ldc,
                     .alpha = c.alpha,
                     .act = c.act};
    if (c.bias_m) args.bias_m = ops.bias.data();
    if (c.bias_n) args.bias_n = ops.bias.data() + c.m;
    if (c.residual) args.residual = ops.residual.data();
    args.ldr = ops.ldr;
    GemmF32(*kernel, args, &pool);
    ExpectClose(got, ops.want, 1e-6 * std::sqrt(c.k + 16.0));
  }
}

TEST(GemmF32, MatchesReferenceAroundTheTile) {
  for (int64_t m : {1, 2, 5, 6, 7, 8, 9, 17}) {
    for (int64_t n : {1, 7, 8, 15, 16, 17, 33, 47, 48, 49, 97}) {
      for (int64_t k : {1, 2, 31}) CheckCase({m, n, k}, 1);
    }
  }
}

TEST(GemmF32, MatchesReferenceAcrossCacheBlocks) {
  CheckCase({150, 65, 1100}, 1);
  CheckCase({261, 100, 513}, 2);
  CheckCase({3, 300, 1025}, 3);
}

TEST(GemmF32, MultipliesNarrowPanelsByDotProducts) {
  for (int64_t n : {1, 2, 3, 4, 5, 49, 51, 52}) {
    for (int64_t m : {1, 3, 8, 10}) {
      for (int64_t k : {63, 64, 70, 512, 520, 1100}) {
        CheckCase({m, n, k, false, true, true, 0.5f, Activation::Relu()}, 1);
      }
    }
    CheckCase(
        {9, n, 300, true, false, true, 1, Activation::Of(Curve::kGeluErf)}, 2);
  }
}

TEST(GemmF32, PacksTransposedB) {
  CheckCase({9, 50, 33, true}, 1);
  CheckCase({40, 130, 64, true}, 2);
}

TEST(GemmF32, AppliesAlphaBiasAndActivation) {
  std::vector<Activation> acts = {Activation::Relu(),
                                  Activation::Clip(-0.5f, 1.5f)};
  for (int i = 0; i < kCurves; ++i) {
    acts.push_back(Activation::Of(static_cast<Curve>(i)));
  }
  for (const Activation& act : acts) {
    for (bool residual : {false, true}) {
      CheckCase({11, 53, 20, false, true, false, 0.5f, act, residual}, 1);
      CheckCase({11, 53, 600, false, false, true, 1.0f, act, residual}, 2);
      CheckCase({70, 64, 20, false, true, true, 2.0f, act, residual}, 2);
    }
  }
}

TEST(GemmF32, StoresBiasWhenKIsZero) {
  CheckCase({3, 50, 0, false, false, true}, 1);
}

TEST(GemmF32, KeepsNanThroughTheClamp) {
  for (const GemmF32Kernel* kernel : Runnable()) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const float b = 1;
    float c = 0;
    std::vector<float> packed(GemmF32PackedBytes(*kernel, 1, 1) / 4);
    GemmF32PackB(*kernel, {&b, 1, false}, 1, 1, packed.data(), nullptr);
    GemmF32(*kernel,
            {.m = 1,
             .n = 1,
             .k = 1,
             .a = &nan,
             .lda = 1,
             .b = packed.data(),
             .c = &c,
             .ldc = 1,
             .act = Activation::Relu()},
            nullptr);
    EXPECT_TRUE(std::isnan(c)) << kernel->name;
  }
}

TEST(GemmF32, ResultDoesNotDependOnThreads) {
  const int64_t m = 70, n = 200, k = 700;
  const std::vector<float> a = RandomFloats(m * k, 1);
  const std::vector<float> b = RandomFloats(n * k, 2);
  for (const GemmF32Kernel* kernel : Runnable()) {
    std::vector<float> packed(GemmF32PackedBytes(*kernel, n, k) / 4);
    GemmF32PackB(*kernel, {b.data(), n, false}, n, k, packed.data(), nullptr);
    std::vector<float> one(m * n), many(m * n);
    GemmF32Args args{m, n, k, a.data(), k, packed.data(), one.data(), n};
    GemmF32(*kernel, args, nullptr);
    ThreadPool pool(3);
    args.c = many.data();
    GemmF32(*kernel, args, &pool);
    EXPECT_EQ(one, many) << kernel->name;
  }
}

// A row is seen once, whole, by whoever splits rows or columns.
TEST(GemmF32, DoesRowsWhenAllTheirColumnsAreThere) {
  for (int64_t m : {1, 70, 400}) {
    const Case c{m, 200, 64};
    const Operands ops(c);
    const GemmF32Kernel& kernel = PickGemmF32(DetectIsa());
    std::vector<float> packed(GemmF32PackedBytes(kernel, c.n, c.k) / 4);
    GemmF32PackB(kernel, {ops.b.data(), c.n, false}, c.n, c.k, packed.data(),
                 nullptr);
    struct Seen {
      std::vector<float> c;
      std::vector<int> times;
      std::vector<float> sum;
    } seen{std::vector<float>(m * c.n), std::vector<int>(m),
           std::vector<float>(m)};
    const auto see = [](const void* with, int64_t begin, int64_t end) {
      Seen& to = *static_cast<Seen*>(const_cast<void*>(with));
      for (int64_t i = begin; i < end; ++i) {
        ++to.times[i];
        for (int64_t j = 0; j < 200; ++j) to.sum[i] += to.c[i * 200 + j];
      }
    };
    for (int threads : {1, 2, 3}) {
      ThreadPool pool(threads);
      std::fill(seen.times.begin(), seen.times.end(), 0);
      std::fill(seen.sum.begin(), seen.sum.end(), 0.0f);
      std::fill(seen.c.begin(), seen.c.end(), 1e6f);
      GemmF32Args args{.m = m, .n = c.n, .k = c.k, .a = ops.a.data()};
      args.lda = ops.lda;
      args.b = packed.data();
      args.c = seen.c.data();
      args.ldc = c.n;
      args.done = {see, &seen};
      GemmF32(kernel, args, &pool);
      for (int64_t i = 0; i < m; ++i) {
        float want = 0;
        for (int64_t j = 0; j < c.n; ++j) want += ops.want[i * ops.ldc + j];
        ASSERT_EQ(seen.times[i], 1) << m << " rows, " << threads << " threads";
        ASSERT_NEAR(seen.sum[i], want, 1e-3) << i;
      }
    }
  }
}

TEST(GemmF32Batch, MultipliesEachPairOfTheBatch) {
  const int64_t m = 20, n = 70, k = 32;
  for (int64_t batch : {1, 2, 5}) {
    const std::vector<float> a = RandomFloats(batch * m * k, 1);
    const std::vector<float> b = RandomFloats(batch * n * k, 2);
    std::vector<float> want(batch * m * n);
    for (int64_t i = 0; i < batch; ++i) {
      ReferenceGemmF32({a.data() + i * m * k, k, b.data() + i * n * k, n,
                        nullptr, want.data() + i * m * n, n, m, n, k, false,
                        true, 1.0f, nullptr, nullptr});
    }
    ThreadPool pool(2);
    for (const GemmF32Kernel* kernel : Runnable()) {
      std::vector<float> scratch(GemmF32BatchScratchBytes(*kernel, n, k, 2) /
                                 4);
      std::vector<float> got(want.size());
      GemmF32BatchArgs args;
      args.one = {m, n, k, a.data(), k, nullptr, got.data(), n};
      args.b = {b.data(), n, false};
      args.batch = batch;
      args.a_stride = m * k;
      args.b_stride = n * k;
      args.c_stride = m * n;
      args.scratch = scratch.data();
      GemmF32Batch(*kernel, args, &pool);
      ExpectClose(got, want, 1e-5);
    }
  }
}

TEST(GemmF32Layout, HasAWayBack) {
  for (const GemmF32Kernel& kernel : GemmF32Table()) {
    for (const bool transposed : {false, true}) {
      const int64_t n = kernel.tile_n * 2 + 3;
      const int64_t k = 37;
      const auto b = RandomFloats(n * k, 5);
      std::vector<float> packed(
          static_cast<size_t>(GemmF32PackedBytes(kernel, n, k) / 4));
      GemmF32PackB(kernel, {b.data(), transposed ? k : n, transposed}, n, k,
                   packed.data(), nullptr);
      const auto tile = ParseGemmF32Layout(GemmF32Layout(kernel));
      ASSERT_TRUE(tile.has_value());
      std::vector<float> back(b.size());
      GemmF32UnpackB(*tile, n, k, packed.data(), back.data());
      for (int64_t p = 0; p < k; ++p) {
        for (int64_t j = 0; j < n; ++j) {
          ASSERT_EQ(back[p * n + j], transposed ? b[j * k + p] : b[p * n + j]);
        }
      }
    }
  }
  for (const char* name : {"", "gemm_f32/panels", "gemm_f32/panels0",
                           "gemm_f32/panels16x", "gemm_bf16/panels16"}) {
    EXPECT_FALSE(ParseGemmF32Layout(name).has_value()) << name;
  }
}

}  // namespace
}  // namespace stint
