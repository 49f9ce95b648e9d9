#include "kernels/gemm_codes/gemm_codes.h"

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
#include "kernels/testing/random_coded_matrix.h"
#include "kernels/testing/rotation.h"
#include "kernels/testing/trapped_tiles.h"

namespace stint {
namespace {

// Every product with every decoder that this machine runs.
std::vector<GemmCodesKernel> Runnable() {
  std::vector<GemmCodesKernel> pairs;
  for (const CodeDecoder& decoder : CodeDecoderTable()) {
    if (!CanRun(decoder, DetectIsa())) continue;
    pairs.push_back({&kEmulatedAmx, &decoder});
    for (const GemmS8Kernel& kernel : GemmS8Table()) {
      if (RunsHere(kernel)) pairs.push_back({&kernel, &decoder});
    }
  }
  return pairs;
}

struct Operands {
  Operands(const RandomCodedMatrix& b, int64_t m)
      : m(m),
        n(b.n()),
        k(b.k()),
        lda(RoundUp(k, 4) + 4),
        ldc(n + 5),
        zero(static_cast<size_t>(m)),
        scale_a(RandomFloats(m, 4)),
        scale_b(RandomFloats(n, 5)),
        bias(RandomFloats(n, 6)),
        residual(RandomFloats(m * ldc, 7)) {
    Random random(m);
    for (int64_t i = 0; i < m * lda; ++i) {
      a.push_back(static_cast<uint8_t>(random.NextU64()));
    }
    for (uint8_t& z : zero) z = static_cast<uint8_t>(random.NextU64());
    for (float& s : scale_a) s = 0.01f + s * 0.005f;
    for (float& s : scale_b) s = 0.01f + s * 0.005f;
  }

  int64_t Sum(const RandomCodedMatrix& b, int64_t i, int64_t j) const {
    int64_t sum = 0;
    for (int64_t p = 0; p < k; ++p) {
      sum += (a[i * lda + p] - zero[i]) * b.Value(j, p);
    }
    return sum;
  }
  double OutlierSum(const CodedMatrix& b, int64_t i, int64_t j) const {
    double sum = 0;
    for (const CodedOutlier& outlier : b.outliers) {
      if (outlier.output != j) continue;
      sum += (a[i * lda + outlier.input] - zero[i]) *
             static_cast<double>(outlier.value);
    }
    return sum;
  }
  GemmS8Args Args(float* c) const {
    return {.m = m,
            .n = n,
            .k = k,
            .a = a.data(),
            .lda = lda,
            .scale_a = scale_a.data(),
            .zero_a = zero.data(),
            .scale_b = scale_b.data(),
            .c = c,
            .ldc = ldc};
  }

  int64_t m;
  int64_t n;
  int64_t k;
  int64_t lda;
  int64_t ldc;
  std::vector<uint8_t> a;
  std::vector<uint8_t> zero;
  std::vector<float> scale_a;
  std::vector<float> scale_b;
  std::vector<float> bias;
  std::vector<float> residual;
};

// Runs with scratch of its own, at an address as the contract asks.
void Multiply(const GemmCodesKernel& kernel, GemmS8Args args,
              const CodedMatrix& b, ThreadPool* pool) {
  const int64_t bytes = GemmCodesScratchBytes(
      kernel, args.m, args.k, static_cast<int64_t>(b.outliers.size()),
      pool->threads());
  std::vector<uint8_t> scratch(static_cast<size_t>(bytes + 128), 99);
  args.scratch = Aligned(scratch.data());
  GemmCodes(kernel, args, b, pool);
  for (int i = 0; i < 64; ++i) ASSERT_EQ(args.scratch[bytes + i], 99);
}

testing::Message Label(const GemmCodesKernel& kernel, const Operands& ops) {
  return testing::Message()
         << kernel.products->name << " " << kernel.decoder->name << " " << ops.m
         << "x" << ops.n << "x" << ops.k;
}

// With scales of 1 the result is the integer itself, rounded to float.
void CheckExact(const MatrixCuts& cuts, int64_t m, int threads = 1) {
  const RandomCodedMatrix b(cuts);
  ASSERT_TRUE(CheckCodedMatrix(b.matrix(), b.n(), b.k()).ok());
  Operands ops(b, m);
  std::fill(ops.scale_a.begin(), ops.scale_a.end(), 1.0f);
  std::fill(ops.scale_b.begin(), ops.scale_b.end(), 1.0f);
  std::vector<float> want(static_cast<size_t>(m * ops.ldc), 7.0f);
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < ops.n; ++j) {
      want[i * ops.ldc + j] = static_cast<float>(ops.Sum(b, i, j));
    }
  }
  ThreadPool pool(threads);
  for (const GemmCodesKernel& kernel : Runnable()) {
    SCOPED_TRACE(Label(kernel, ops));
    std::vector<float> got(want.size(), 7.0f);
    Multiply(kernel, ops.Args(got.data()), b.matrix(), &pool);
    ASSERT_EQ(got, want);
  }
}

TEST(GemmCodes, SumsExactlyAtEveryNumberOfBits) {
  for (int bits = kPlaneMinBits; bits <= kPlaneMaxBits; ++bits) {
    for (int64_t m : {1, 3, 8, 9, 20}) CheckExact({{50}, {70}, {bits}}, m);
  }
}

TEST(GemmCodes, SumsExactlyAroundTheTile) {
  for (int64_t n : {1, 8, 9, 16, 17, 31, 32, 33, 47, 48, 49, 65, 97}) {
    for (int64_t m : {1, 2, 4, 7, 8, 17, 33}) CheckExact({{n}, {20}, {4}}, m);
  }
}

TEST(GemmCodes, SumsExactlyAroundGroupsOfInputs) {
  for (int64_t k : {1, 2, 3, 4, 5, 8, 12, 31, 60, 63, 64, 65, 68, 127, 130}) {
    for (int64_t m : {1, 5, 12}) CheckExact({{20}, {k}, {3}}, m);
  }
}

TEST(GemmCodes, ReadsBlocksCutAlongOutputs) {
  for (int64_t m : {1, 6, 19}) {
    CheckExact({{32, 32, 32, 32}, {40}, {2, 5, 8, 4}}, m);
    CheckExact({{16, 48, 16}, {24}, {7, 3}}, m);
  }
}

TEST(GemmCodes, ReadsBlocksOfRaggedOutputs) {
  for (int64_t m : {1, 6, 19}) {
    CheckExact({{20, 20, 20}, {36}, {4, 6, 2}}, m);
    CheckExact({{1, 16, 5, 64, 3}, {33}, {8, 2, 3}}, m);
  }
}

TEST(GemmCodes, ReadsBlocksCutAlongInputs) {
  for (int64_t m : {1, 6, 19}) {
    CheckExact({{50}, {32, 32, 32}, {4, 2, 8}}, m);
    CheckExact({{33}, {4, 20, 64, 11}, {3, 6, 5, 7}}, m);
  }
}

TEST(GemmCodes, ReadsBlocksCutBothWays) {
  for (int64_t m : {1, 6, 19}) {
    CheckExact({{32, 16, 40}, {28, 36, 9}, {2, 3, 4, 5, 6, 7, 8}}, m);
  }
}

TEST(GemmCodes, SumsExactlyAcrossBlocksAndThreads) {
  CheckExact({{64, 64, 20}, {300, 40}, {4, 3}}, 70, 2);
  CheckExact({{30}, {8192, 8195}, {8, 4}}, 9);
  CheckExact({{300}, {1025}, {5}}, 3, 3);
}

TEST(GemmCodes, SumsTheLargestProductsWithoutOverflow) {
  const std::vector<uint64_t> plane(kGemmS8MaxK / 4, 0);
  const std::vector<int8_t> values(4, -128);
  CodedBlock block;
  block.shape = {1, kGemmS8MaxK};
  block.bits = 2;
  block.planes[0] = block.planes[1] = plane.data();
  block.values = values.data();
  const std::vector<uint8_t> a(kGemmS8MaxK, 255);
  const uint8_t zero = 0;
  const float one = 1;
  ThreadPool pool(1);
  for (const GemmCodesKernel& kernel : Runnable()) {
    float c = 0;
    GemmS8Args args{.m = 1, .n = 1, .k = kGemmS8MaxK, .a = a.data()};
    args.lda = kGemmS8MaxK;
    args.scale_a = args.scale_b = &one;
    args.zero_a = &zero;
    args.c = &c;
    args.ldc = 1;
    Multiply(kernel, args, {{&block, 1}, {}}, &pool);
    EXPECT_EQ(c, -255.0f * 128 * kGemmS8MaxK) << kernel.products->name;
  }
}

struct Finish {
  bool bias = false;
  bool residual = false;
  bool shared = false;  // one scale and zero point for all rows of A
  int64_t outlier_step = 0;
  Activation act = {};
};

void CheckFinish(const MatrixCuts& cuts, int64_t m, const Finish& finish,
                 int threads = 1) {
  const RandomCodedMatrix b(cuts, finish.outlier_step);
  Operands ops(b, m);
  if (finish.shared) {
    std::fill(ops.scale_a.begin(), ops.scale_a.end(), ops.scale_a[0]);
    std::fill(ops.zero.begin(), ops.zero.end(), ops.zero[0]);
  }
  std::vector<float> want(static_cast<size_t>(m * ops.ldc), 7.0f);
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < ops.n; ++j) {
      double x = static_cast<double>(ops.Sum(b, i, j)) * ops.scale_b[j] +
                 ops.OutlierSum(b.matrix(), i, j);
      x *= ops.scale_a[i];
      if (finish.bias) x += ops.bias[j];
      if (finish.residual) x += ops.residual[i * ops.ldc + j];
      want[i * ops.ldc + j] =
          static_cast<float>(ReferenceActivation(x, finish.act));
    }
  }
  ThreadPool pool(threads);
  for (const GemmCodesKernel& kernel : Runnable()) {
    SCOPED_TRACE(Label(kernel, ops));
    std::vector<float> got(want.size(), 7.0f);
    GemmS8Args args = ops.Args(got.data());
    args.act = finish.act;
    if (finish.shared) args.row_step = 0;
    if (finish.bias) args.bias_n = ops.bias.data();
    if (finish.residual) args.residual = ops.residual.data();
    args.ldr = ops.ldc;
    Multiply(kernel, args, b.matrix(), &pool);
    ExpectClose(got, want, 1e-5);
  }
}

TEST(GemmCodes, AppliesBiasResidualAndActivation) {
  std::vector<Activation> acts = {Activation::Relu(),
                                  Activation::Clip(-0.5f, 1.5f),
                                  Activation::Of(Curve::kGeluErf)};
  for (const Activation& act : acts) {
    for (int64_t m : {3, 11}) {
      CheckFinish({{53}, {20}, {4}}, m, {.bias = true, .act = act});
      CheckFinish({{20, 33}, {60}, {4}}, m, {.residual = true, .act = act});
    }
    CheckFinish({{64}, {20}, {5}}, 70,
                {.bias = true, .residual = true, .act = act}, 2);
  }
}

TEST(GemmCodes, SharesScaleAndZeroPointOfA) {
  CheckFinish({{50}, {33}, {4}}, 9, {.bias = true, .shared = true});
  CheckFinish({{50}, {33}, {4}}, 2, {.shared = true, .outlier_step = 10});
  CheckFinish({{50}, {33}, {4}}, 20, {.shared = true, .outlier_step = 10});
}

TEST(GemmCodes, AddsOutliersBeforeTheActivation) {
  for (int64_t m : {1, 2, 4, 5, 8, 9, 16, 33, 100}) {
    CheckFinish({{32, 21}, {40, 30}, {4, 2}}, m,
                {.bias = true, .outlier_step = 30, .act = Activation::Relu()});
    CheckFinish({{70}, {67}, {3}}, m, {.residual = true, .outlier_step = 200},
                2);
  }
}

TEST(GemmCodes, AddsManyOutliersOfOneOutput) {
  CheckFinish({{5}, {300}, {4}}, 7, {.outlier_step = 2});
  CheckFinish({{5}, {300}, {4}}, 40, {.outlier_step = 2});
}

// Bytes may differ by one where x lies between two of them.
TEST(GemmCodes, RequantizesToBytes) {
  const RandomCodedMatrix b({{32, 21}, {40}, {4, 6}}, 50);
  const Requantization out{0.05f, 120, false};
  ThreadPool pool(1);
  for (int64_t m : {2, 13}) {
    const Operands ops(b, m);
    for (const GemmCodesKernel& kernel : Runnable()) {
      SCOPED_TRACE(Label(kernel, ops));
      std::vector<uint8_t> got(static_cast<size_t>(m * ops.ldc), 77);
      GemmS8Args args = ops.Args(nullptr);
      args.c8 = got.data();
      args.out = out;
      Multiply(kernel, args, b.matrix(), &pool);
      for (int64_t i = 0; i < m * ops.n; ++i) {
        const int64_t row = i / ops.n, j = i % ops.n;
        const double x =
            (static_cast<double>(ops.Sum(b, row, j)) * ops.scale_b[j] +
             ops.OutlierSum(b.matrix(), row, j)) *
            ops.scale_a[row];
        ASSERT_NEAR(got[row * ops.ldc + j],
                    std::clamp(x / out.scale + out.zero, 0.0, 255.0), 0.501);
      }
      for (int64_t i = 0; i < m; ++i) ASSERT_EQ(got[i * ops.ldc + ops.n], 77);
    }
  }
}

TEST(GemmCodes, RefusesBlocksThatDoNotFit) {
  const RandomCodedMatrix good({{32, 16}, {20, 24}, {4}});
  std::vector<CodedBlock> blocks(good.matrix().blocks.begin(),
                                 good.matrix().blocks.end());
  EXPECT_TRUE(CheckCodedMatrix({blocks, {}}, 48, 44).ok());
  EXPECT_FALSE(CheckCodedMatrix({blocks, {}}, 50, 44).ok());
  EXPECT_FALSE(CheckCodedMatrix({blocks, {}}, 48, 40).ok());
  EXPECT_FALSE(CheckCodedMatrix({{blocks.data(), 3}, {}}, 48, 44).ok());
  std::swap(blocks[0], blocks[1]);
  EXPECT_FALSE(CheckCodedMatrix({blocks, {}}, 48, 44).ok());
  std::swap(blocks[0], blocks[1]);
  blocks[3].bits = 9;
  EXPECT_FALSE(CheckCodedMatrix({blocks, {}}, 48, 44).ok());
}

#if defined(__x86_64__)
TEST(GemmCodes, AmxRowComputesWhatItsEmulationDoes) {
  if (DetectIsa() < Isa::kVnni) GTEST_SKIP() << "needs AVX-512 and VNNI";
  const GemmS8Kernel& amx = GemmS8Table()[0];
  ASSERT_EQ(amx.isa, Isa::kAmx);
  const TrappedTiles tiles;
  ThreadPool pool(2);
  const RandomCodedMatrix b({{32, 37}, {64, 100}, {4, 6}}, 100);
  for (int64_t m : {9, 33, 70}) {
    const Operands ops(b, m);
    std::vector<float> got(static_cast<size_t>(m * ops.ldc), 7.0f);
    std::vector<float> want = got;
    const CodeDecoder* decoder = &PickCodeDecoder(DetectIsa());
    Multiply({&amx, decoder}, ops.Args(got.data()), b.matrix(), &pool);
    Multiply({&kEmulatedAmx, decoder}, ops.Args(want.data()), b.matrix(),
             &pool);
    ExpectClose(got, want, 2e-6);
  }
}
#endif

}  // namespace
}  // namespace stint
