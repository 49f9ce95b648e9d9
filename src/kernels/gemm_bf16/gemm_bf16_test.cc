#include "kernels/gemm_bf16/gemm_bf16.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/base/float_bits.h"
#include "core/testing/isa_variants.h"
#include "kernels/gemm_bf16/amx.h"
#include "kernels/gemm_bf16/pack_tiles.h"
#include "kernels/simd/curves.h"
#include "kernels/testing/emulated_tiles.h"
#include "kernels/testing/floats.h"
#include "kernels/testing/trapped_tiles.h"

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

// The code of the AMX row on tile registers in memory.
constexpr GemmBf16Kernel kEmulatedAmx = {
    "emulated_amx",
    Isa::kBaseline,
    32,
    kBf16TileColumns,
    kBf16TileK,
    PackBf16Tiles,
    RunBf16Tiles<EmulatedTiles, Generic>,
    PackBf16Rows<Generic>,
    ReleaseBf16Tiles<EmulatedTiles, Generic>};

std::vector<const GemmBf16Kernel*> Runnable() {
  std::vector<const GemmBf16Kernel*> rows = {&kEmulatedAmx};
  for (const GemmBf16Kernel& kernel : GemmBf16Table()) {
    if (RunsHere(kernel)) rows.push_back(&kernel);
  }
  return rows;
}

constexpr uint16_t kNan = 0x7fff;

std::vector<float> Rounded(std::vector<float> values) {
  for (float& v : values) v = BFloat16ToFloat(FloatToBFloat16(v));
  return values;
}

// Operands with leading dimensions wider than the matrices.
struct Operands {
  explicit Operands(const Case& c)
      : lda(c.k + 3),
        ldc(c.n + 5),
        ldr(c.n + 2),
        a(RandomFloats(c.m * lda, 1)),
        b(RandomFloats(c.k * c.n, 2)),
        bias(RandomFloats(c.m + c.n, 3)),
        residual(RandomFloats(c.m * ldr, 4)),
        a_rounded(Rounded(a)),
        b_rounded(Rounded(b)) {}

  float Want(const Case& c, int64_t i, int64_t j, bool rounded) const {
    const std::vector<float>& left = rounded ? a_rounded : a;
    double sum = 0;
    for (int64_t p = 0; p < c.k; ++p) {
      const float w = b_rounded[c.transposed ? j * c.k + p : p * c.n + j];
      sum += static_cast<double>(left[i * lda + p]) * w;
    }
    sum *= c.alpha;
    if (c.bias_m) sum += bias[i];
    if (c.bias_n) sum += bias[c.m + j];
    if (c.residual) sum += residual[i * ldr + j];
    return static_cast<float>(ReferenceActivation(sum, c.act));
  }
  // `rounded`: A in bf16.
  std::vector<float> WantAll(const Case& c, bool rounded) const {
    std::vector<float> want(static_cast<size_t>(c.m * ldc), 7.0f);
    for (int64_t i = 0; i < c.m; ++i) {
      for (int64_t j = 0; j < c.n; ++j) {
        want[i * ldc + j] = Want(c, i, j, rounded);
      }
    }
    return want;
  }
  std::vector<uint16_t> Pack(const Case& c, const GemmBf16Kernel& kernel,
                             ThreadPool* pool) const {
    std::vector<uint16_t> packed(GemmBf16PackedBytes(kernel, c.n, c.k) / 2);
    GemmBf16PackB(kernel,
                  {b.data(), nullptr, c.transposed ? c.k : c.n, c.transposed},
                  c.n, c.k, packed.data(), pool);
    return packed;
  }
  std::vector<float> Run(const Case& c, const GemmBf16Kernel& kernel,
                         ThreadPool* pool) const {
    const std::vector<uint16_t> packed = Pack(c, kernel, pool);
    std::vector<float> got(static_cast<size_t>(c.m * ldc), 7.0f);
    GemmBf16Args args;
    args.f32 = {.m = c.m, .n = c.n, .k = c.k, .a = a.data(), .lda = lda};
    args.f32.c = got.data();
    args.f32.ldc = ldc;
    args.f32.alpha = c.alpha;
    args.f32.act = c.act;
    if (c.bias_m) args.f32.bias_m = bias.data();
    if (c.bias_n) args.f32.bias_n = bias.data() + c.m;
    if (c.residual) args.f32.residual = residual.data();
    args.f32.ldr = ldr;
    args.b = packed.data();
    std::vector<uint16_t> scratch(GemmBf16ScratchBytes(kernel, c.m, c.k) / 2,
                                  kNan);
    args.scratch = scratch.data();
    GemmBf16(kernel, args, pool);
    return got;
  }

  int64_t lda;
  int64_t ldc;
  int64_t ldr;
  std::vector<float> a;
  std::vector<float> b;
  std::vector<float> bias;
  std::vector<float> residual;
  std::vector<float> a_rounded;
  std::vector<float> b_rounded;
};

void CheckCase(const Case& c, int threads) {
  const Operands ops(c);
  const std::vector<float> want[2] = {ops.WantAll(c, false),
                                      ops.WantAll(c, true)};
  ThreadPool pool(threads);
  for (const GemmBf16Kernel* kernel : Runnable()) {
    SCOPED_TRACE(testing::Message()
                 << kernel->name << " " << c.m << "x" << c.n << "x" << c.k);
    ExpectClose(ops.Run(c, *kernel, &pool), want[kernel->pack_a != nullptr],
                1e-6 * std::sqrt(static_cast<double>(c.k) + 16));
  }
}

TEST(GemmBf16, MatchesReferenceAroundTheTile) {
  for (int64_t m = 1; m <= 17; ++m) {
    for (int64_t n : {1, 8, 15, 16, 17, 33, 47, 48, 49, 97}) {
      for (int64_t k : {1, 2, 31}) CheckCase({m, n, k}, 1);
    }
  }
}

TEST(GemmBf16, MatchesReferenceAroundPairsOfK) {
  for (int64_t k : {3, 4, 5, 62, 63, 64, 65, 511, 512, 513}) {
    for (int64_t m : {1, 8, 33}) CheckCase({m, 50, k}, 1);
  }
}

TEST(GemmBf16, MatchesReferenceAcrossCacheBlocks) {
  CheckCase({150, 65, 1100}, 1);
  CheckCase({261, 100, 513}, 2);
  CheckCase({3, 300, 1025}, 3);
  CheckCase({40, 8, 1025}, 2);
}

TEST(GemmBf16, PacksTransposedB) {
  CheckCase({9, 50, 33, true}, 1);
  CheckCase({40, 130, 64, true}, 2);
}

TEST(GemmBf16, PacksWeightsThatAreBf16Already) {
  const Case c{1, 50, 33};
  const Operands ops(c);
  std::vector<uint16_t> bits;
  for (float w : ops.b) bits.push_back(FloatToBFloat16(w));
  for (const GemmBf16Kernel* kernel : Runnable()) {
    std::vector<uint16_t> packed(GemmBf16PackedBytes(*kernel, c.n, c.k) / 2);
    GemmBf16PackB(*kernel, {nullptr, bits.data(), c.n, false}, c.n, c.k,
                  packed.data(), nullptr);
    EXPECT_EQ(packed, ops.Pack(c, *kernel, nullptr)) << kernel->name;
  }
}

TEST(GemmBf16, AppliesAlphaBiasResidualAndActivation) {
  std::vector<Activation> acts = {Activation::Relu(),
                                  Activation::Clip(-0.5f, 1.5f)};
  for (int i = 0; i < kCurves; ++i) {
    acts.push_back(Activation::Of(static_cast<Curve>(i)));
  }
  for (const Activation& act : acts) {
    CheckCase({11, 53, 20, false, true, false, 0.5f, act, true}, 1);
    CheckCase({11, 53, 600, false, false, true, 1.0f, act, false}, 2);
    CheckCase({70, 64, 600, false, true, true, 2.0f, act, true}, 2);
  }
}

TEST(GemmBf16, StoresBiasWhenKIsZero) {
  CheckCase({3, 50, 0, false, false, true}, 1);
  CheckCase({40, 50, 0, false, false, true}, 1);
}

TEST(GemmBf16, ResultDoesNotDependOnThreads) {
  for (int64_t m : {5, 70}) {
    const Case c{m, 200, 700};
    const Operands ops(c);
    ThreadPool one(1), three(3);
    for (const GemmBf16Kernel* kernel : Runnable()) {
      EXPECT_EQ(ops.Run(c, *kernel, &one), ops.Run(c, *kernel, &three))
          << kernel->name;
    }
  }
}

#if defined(__x86_64__)
TEST(GemmBf16, AmxRowComputesWhatItsEmulationDoes) {
  if (DetectIsa() < Isa::kVnni || !__builtin_cpu_supports("avx512bf16")) {
    GTEST_SKIP() << "needs AVX-512 with VNNI and bf16";
  }
  const GemmBf16Kernel& amx = GemmBf16Table()[0];
  ASSERT_EQ(amx.isa, Isa::kAmx);
  const TrappedTiles tiles;
  ThreadPool pool(2);
  for (const Case& c :
       {Case{1, 33, 70}, Case{7, 16, 64}, Case{16, 64, 33, true},
        Case{33, 40, 100, false, true, false, 0.5f, Activation::Relu(), true},
        Case{150, 65, 600, false, false, true, 1,
             Activation::Of(Curve::kGeluErf)}}) {
    SCOPED_TRACE(testing::Message() << c.m << "x" << c.n << "x" << c.k);
    const Operands ops(c);
    EXPECT_EQ(ops.Pack(c, amx, nullptr), ops.Pack(c, kEmulatedAmx, nullptr));
    ExpectClose(ops.Run(c, amx, &pool), ops.Run(c, kEmulatedAmx, nullptr),
                1e-6 * std::sqrt(static_cast<double>(c.k)));
  }
}
#endif

}  // namespace
}  // namespace stint
