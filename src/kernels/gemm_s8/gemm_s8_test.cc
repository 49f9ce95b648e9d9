#include "kernels/gemm_s8/gemm_s8.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/base/checked_math.h"
#include "core/testing/isa_variants.h"
#include "kernels/gemm_s8/amx.h"
#include "kernels/gemm_s8/lanes_generic.h"
#include "kernels/simd/curves.h"
#include "kernels/testing/emulated_s8.h"
#include "kernels/testing/floats.h"
#include "kernels/testing/trapped_tiles.h"

namespace stint {
namespace {

struct Case {
  int64_t m;
  int64_t n;
  int64_t k;
  bool transposed = false;
  bool bias = false;
  bool residual = false;
  bool shared = false;  // one scale and zero point for all rows of A
  Activation act = {};
};

std::vector<const GemmS8Kernel*> Runnable() {
  std::vector<const GemmS8Kernel*> rows = {&kEmulatedAmx};
  for (const GemmS8Kernel& kernel : GemmS8Table()) {
    if (RunsHere(kernel)) rows.push_back(&kernel);
  }
  return rows;
}

// Random bytes, extreme ones among them.
template <class T>
std::vector<T> RandomBytes(int64_t count, uint64_t seed) {
  Random random(seed);
  std::vector<T> values(static_cast<size_t>(count));
  for (T& v : values) {
    const int64_t x = random.NextInt(300);
    v = static_cast<T>(x < 256 ? x : x < 278 ? 255 : 128);
  }
  return values;
}

struct Operands {
  explicit Operands(const Case& c)
      : lda(RoundUp(c.k, 4) + 4),
        ldc(c.n + 5),
        ldr(c.n + 2),
        a(RandomBytes<uint8_t>(c.m * lda, 1)),
        b(RandomBytes<int8_t>(c.k * c.n, 2)),
        zero(RandomBytes<uint8_t>(c.m, 3)),
        scale_a(RandomFloats(c.m, 4)),
        scale_b(RandomFloats(c.n, 5)),
        bias(RandomFloats(c.n, 6)),
        residual(RandomFloats(c.m * ldr, 7)) {
    for (float& s : scale_a) s = 0.01f + s * 0.005f;
    for (float& s : scale_b) s = 0.01f + s * 0.005f;
  }

  // The exact sum of one element.
  int64_t Sum(const Case& c, int64_t i, int64_t j) const {
    const int64_t z = zero[c.shared ? 0 : i];
    int64_t sum = 0;
    for (int64_t p = 0; p < c.k; ++p) {
      const int64_t at = c.transposed ? j * c.k + p : p * c.n + j;
      sum += (a[i * lda + p] - z) * b[at];
    }
    return sum;
  }
  float Want(const Case& c, int64_t i, int64_t j) const {
    double x = static_cast<double>(Sum(c, i, j)) * scale_a[c.shared ? 0 : i] *
               scale_b[j];
    if (c.bias) x += bias[j];
    if (c.residual) x += residual[i * ldr + j];
    return static_cast<float>(ReferenceActivation(x, c.act));
  }
  std::vector<float> WantAll(const Case& c) const {
    std::vector<float> want(static_cast<size_t>(c.m * ldc), 7.0f);
    for (int64_t i = 0; i < c.m; ++i) {
      for (int64_t j = 0; j < c.n; ++j) want[i * ldc + j] = Want(c, i, j);
    }
    return want;
  }
  std::vector<int8_t> Pack(const Case& c, const GemmS8Kernel& kernel,
                           ThreadPool* pool) const {
    std::vector<int8_t> packed(GemmS8PackedBytes(kernel, c.n, c.k));
    GemmS8PackB(kernel, {b.data(), c.transposed ? c.k : c.n, c.transposed}, c.n,
                c.k, packed.data(), pool);
    return packed;
  }
  GemmS8Args Args(const Case& c, const std::vector<int8_t>& packed) const {
    return {.m = c.m,
            .n = c.n,
            .k = c.k,
            .a = a.data(),
            .lda = lda,
            .scale_a = scale_a.data(),
            .zero_a = zero.data(),
            .row_step = c.shared ? 0 : 1,
            .b = packed.data(),
            .scale_b = scale_b.data(),
            .bias_n = c.bias ? bias.data() : nullptr,
            .residual = c.residual ? residual.data() : nullptr,
            .ldr = ldr,
            .act = c.act,
            .ldc = ldc};
  }

  int64_t lda;
  int64_t ldc;
  int64_t ldr;
  std::vector<uint8_t> a;
  std::vector<int8_t> b;
  std::vector<uint8_t> zero;
  std::vector<float> scale_a;
  std::vector<float> scale_b;
  std::vector<float> bias;
  std::vector<float> residual;
};

// Runs with scratch of its own.
void Multiply(const GemmS8Kernel& kernel, GemmS8Args args, ThreadPool* pool) {
  std::vector<uint8_t> scratch(GemmS8ScratchBytes(kernel, args.m, args.k), 99);
  args.scratch = scratch.data();
  GemmS8(kernel, args, pool);
}

testing::Message Label(const GemmS8Kernel& kernel, const Case& c) {
  return testing::Message()
         << kernel.name << " " << c.m << "x" << c.n << "x" << c.k;
}

void CheckCase(const Case& c, int threads) {
  const Operands ops(c);
  const std::vector<float> want = ops.WantAll(c);
  ThreadPool pool(threads);
  for (const GemmS8Kernel* kernel : Runnable()) {
    SCOPED_TRACE(Label(*kernel, c));
    const std::vector<int8_t> packed = ops.Pack(c, *kernel, &pool);
    std::vector<float> got(want.size(), 7.0f);
    GemmS8Args args = ops.Args(c, packed);
    args.c = got.data();
    Multiply(*kernel, args, &pool);
    ExpectClose(got, want, 2e-6);
  }
}

// With scales of 1 the result is the integer itself, rounded to float.
void CheckExact(const Case& c, int threads) {
  Operands ops(c);
  std::fill(ops.scale_a.begin(), ops.scale_a.end(), 1.0f);
  std::fill(ops.scale_b.begin(), ops.scale_b.end(), 1.0f);
  std::vector<float> want(static_cast<size_t>(c.m * ops.ldc), 7.0f);
  for (int64_t i = 0; i < c.m; ++i) {
    for (int64_t j = 0; j < c.n; ++j) {
      want[i * ops.ldc + j] = static_cast<float>(ops.Sum(c, i, j));
    }
  }
  ThreadPool pool(threads);
  for (const GemmS8Kernel* kernel : Runnable()) {
    SCOPED_TRACE(Label(*kernel, c));
    const std::vector<int8_t> packed = ops.Pack(c, *kernel, &pool);
    std::vector<float> got(want.size(), 7.0f);
    GemmS8Args args = ops.Args(c, packed);
    args.c = got.data();
    Multiply(*kernel, args, &pool);
    ASSERT_EQ(got, want);
  }
}

TEST(GemmS8, SumsExactlyAroundTheTile) {
  for (int64_t m = 1; m <= 17; ++m) {
    for (int64_t n : {1, 8, 9, 16, 17, 31, 32, 33, 47, 48, 49, 65, 97}) {
      for (int64_t k : {1, 4, 6, 31}) CheckExact({m, n, k}, 1);
    }
  }
}

TEST(GemmS8, SumsExactlyAroundGroupsOfK) {
  for (int64_t k : {2, 3, 5, 7, 8, 12, 20, 60, 63, 64, 65, 68, 127, 128, 130}) {
    for (int64_t m : {1, 2, 3, 5, 12, 13}) CheckExact({m, 50, k}, 1);
  }
}

TEST(GemmS8, SumsExactlyAcrossBlocksAndThreads) {
  CheckExact({150, 65, 1100}, 2);
  CheckExact({40, 50, 16384}, 1);
  CheckExact({3, 300, 1025}, 3);
  CheckExact({300, 8, 200}, 2);
}

TEST(GemmS8, SumsTheLargestProductsWithoutOverflow) {
  const int64_t k = kGemmS8MaxK;
  const std::vector<uint8_t> a(k, 255);
  const std::vector<int8_t> b(k, -128);
  const uint8_t zero = 0;
  const float one = 1;
  for (const GemmS8Kernel* kernel : Runnable()) {
    std::vector<int8_t> packed(GemmS8PackedBytes(*kernel, 1, k));
    GemmS8PackB(*kernel, {b.data(), 1, false}, 1, k, packed.data(), nullptr);
    float c = 0;
    GemmS8Args args{.m = 1, .n = 1, .k = k, .a = a.data(), .lda = k};
    args.scale_a = args.scale_b = &one;
    args.zero_a = &zero;
    args.b = packed.data();
    args.c = &c;
    args.ldc = 1;
    Multiply(*kernel, args, nullptr);
    EXPECT_EQ(c, -255.0f * 128 * static_cast<float>(k)) << kernel->name;
  }
}

TEST(GemmS8, PacksTransposedB) {
  CheckExact({9, 50, 33, true}, 1);
  CheckExact({40, 130, 64, true}, 2);
}

TEST(GemmS8, SharesScaleAndZeroPointOfA) {
  CheckCase({9, 50, 33, false, true, false, true}, 1);
}

TEST(GemmS8, AppliesBiasResidualAndActivation) {
  std::vector<Activation> acts = {Activation::Relu(),
                                  Activation::Clip(-0.5f, 1.5f)};
  for (int i = 0; i < kCurves; ++i) {
    acts.push_back(Activation::Of(static_cast<Curve>(i)));
  }
  for (const Activation& act : acts) {
    CheckCase({11, 53, 20, false, true, false, false, act}, 1);
    CheckCase({13, 53, 300, false, false, true, false, act}, 2);
    CheckCase({70, 64, 20, false, true, true, false, act}, 2);
  }
}

TEST(GemmS8, StoresBiasWhenKIsZero) { CheckCase({3, 50, 0, false, true}, 1); }

// Bytes may differ by one where x lies between two of them.
void CheckRequantized(const Case& c, const Requantization& out) {
  const Operands ops(c);
  ThreadPool pool(2);
  const double lo = out.is_signed ? -128 : 0;
  for (const GemmS8Kernel* kernel : Runnable()) {
    SCOPED_TRACE(Label(*kernel, c));
    const std::vector<int8_t> packed = ops.Pack(c, *kernel, &pool);
    std::vector<uint8_t> got(static_cast<size_t>(c.m * ops.ldc), 77);
    GemmS8Args args = ops.Args(c, packed);
    args.c8 = got.data();
    args.out = out;
    Multiply(*kernel, args, &pool);
    for (int64_t i = 0; i < c.m; ++i) {
      const uint8_t* row = got.data() + i * ops.ldc;
      for (int64_t j = 0; j < c.n; ++j) {
        const double q = ops.Want(c, i, j) / out.scale + out.zero;
        const int byte = out.is_signed ? static_cast<int8_t>(row[j]) : row[j];
        ASSERT_NEAR(byte, std::clamp(q, lo, lo + 255), 0.501);
      }
      ASSERT_EQ(row[c.n], 77);
    }
  }
}

TEST(GemmS8, RequantizesToBytes) {
  for (int64_t n : {1, 15, 33, 48, 61}) {
    CheckRequantized({13, n, 40, false, true, true}, {0.05f, 120, false});
    CheckRequantized({13, n, 40, false, true, true}, {0.05f, -3, true});
  }
}

TEST(GemmS8, RequantizesWhatTheCurveGives) {
  Case c{13, 53, 40, false, true, true};
  c.act = Activation::Of(Curve::kGeluErf);
  CheckRequantized(c, {0.03f, 10, false});
}

TEST(GemmS8, SaturatesWhenTheOutputScaleIsTiny) {
  CheckRequantized({5, 20, 40}, {1e-20f, 7, false});
  CheckRequantized({5, 20, 40}, {1e-20f, 7, true});
}

#if defined(__x86_64__)
TEST(GemmS8, AmxRowComputesWhatItsEmulationDoes) {
  if (DetectIsa() < Isa::kVnni) GTEST_SKIP() << "needs AVX-512 and VNNI";
  const GemmS8Kernel& amx = GemmS8Table()[0];
  ASSERT_EQ(amx.isa, Isa::kAmx);
  const TrappedTiles tiles;
  ThreadPool pool(2);
  for (Case c : {Case{1, 33, 70}, Case{7, 16, 64}, Case{16, 64, 33, true},
                 Case{33, 40, 100, false, true, true}, Case{150, 65, 1100}}) {
    c.act = Activation::Clip(-3, 9);
    SCOPED_TRACE(Label(amx, c));
    const Operands ops(c);
    const std::vector<int8_t> packed = ops.Pack(c, amx, nullptr);
    EXPECT_EQ(packed, ops.Pack(c, kEmulatedAmx, nullptr));
    std::vector<float> got(static_cast<size_t>(c.m * ops.ldc), 7.0f);
    std::vector<float> want = got;
    GemmS8Args args = ops.Args(c, packed);
    args.c = got.data();
    Multiply(amx, args, &pool);
    args.c = want.data();
    Multiply(kEmulatedAmx, args, nullptr);
    ExpectClose(got, want, 2e-6);
  }
}
#endif

}  // namespace
}  // namespace stint
