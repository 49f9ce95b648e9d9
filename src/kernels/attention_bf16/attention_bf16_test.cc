#include "kernels/attention_bf16/attention_bf16.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/testing/isa_variants.h"
#include "kernels/attention_bf16/pack_head.h"
#include "kernels/attention_bf16/tile_rows.h"
#include "kernels/testing/attention_operands.h"
#include "kernels/testing/emulated_tiles.h"
#include "kernels/testing/trapped_tiles.h"

namespace stint {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// The code of the AMX row on tile registers in memory.
constexpr AttentionF32Kernel kEmulatedAmx = {
    "emulated_amx",           Isa::kBaseline,
    kAttentionTileRows,       kAttentionTileKeys,
    PackTileHead<GenericZip>, RunTileAttention<EmulatedTiles, GenericZip>,
    kAttentionTileKeys,       PackTileRange<GenericZip>};

std::vector<const AttentionF32Kernel*> Runnable() {
  std::vector<const AttentionF32Kernel*> rows = {&kEmulatedAmx};
  for (const AttentionF32Kernel& kernel : AttentionBf16Table()) {
    if (RunsHere(kernel)) rows.push_back(&kernel);
  }
  return rows;
}

using Case = AttentionCase;

std::vector<float> Rounded(std::vector<float> values) {
  for (float& v : values) v = BFloat16ToFloat(FloatToBFloat16(v));
  return values;
}

// Operands that bf16 holds exactly, so that only weights are rounded.
struct Operands : AttentionOperands {
  explicit Operands(const Case& c) : AttentionOperands(c) {
    q = Rounded(q);
    kv = Rounded(kv);
    args.q.data = q.data();
    args.k.data = kv.data();
    args.v.data = kv.data() + hidden;
  }
  std::vector<float> Want() const {
    ThreadPool one(1);
    return Run(AttentionF32Table().back(), &one);
  }
};

// A weight is rounded by 2^-9 of itself at most, and values are within 1.
constexpr double kTolerance = 1.0 / 512;

void Check(const Operands& ops, int threads) {
  const std::vector<float> want = ops.Want();
  ThreadPool pool(threads);
  for (const AttentionF32Kernel* kernel : Runnable()) {
    SCOPED_TRACE(testing::Message()
                 << kernel->name << " " << ops.args.length_q << "x"
                 << ops.args.length_k << "x" << ops.args.head_size);
    ExpectClose(ops.Run(*kernel, &pool), want, kTolerance);
  }
}

TEST(AttentionBf16, MatchesReferenceForEachLength) {
  for (int64_t length : {1, 5, 15, 16, 17, 31, 32, 33, 49, 100, 128, 130}) {
    for (int64_t size : {32, 64}) {
      Check(Operands({2, 2, length, length, size}), 1);
    }
  }
}

TEST(AttentionBf16, MatchesReferenceForEachHeadSize) {
  for (int64_t size : {16, 24, 40, 48, 56, 72, 96, 128}) {
    Check(Operands({1, 3, 19, 21, size}), 1);
  }
}

TEST(AttentionBf16, QueriesMayBeFewerOrMoreThanKeys) {
  Check(Operands({2, 3, 1, 130, 32}), 2);
  Check(Operands({1, 2, 70, 9, 64}), 2);
  Check(Operands({1, 1, 20, 1100, 32}), 2);
}

TEST(AttentionBf16, AddsMaskOfKeysOrOfPairs) {
  for (int64_t length : {5, 17, 100, 128}) {
    Operands ops({2, 2, length, length, 32});
    ops.MaskKeys();
    Check(ops, 2);
    ops.MaskPairs();
    Check(ops, 2);
  }
}

TEST(AttentionBf16, MaskedKeysHaveNoWeight) {
  for (float low : {-kInfinity, -1e9f, std::numeric_limits<float>::lowest()}) {
    Operands ops({2, 2, 20, 20, 32});
    for (size_t i = 0; i < ops.mask.size(); ++i) {
      ops.mask[i] = i % 3 == 1 ? low : 0;
    }
    ops.MaskKeys();
    Check(ops, 1);
  }
}

TEST(AttentionBf16, RowsWithEveryKeyMaskedAreZero) {
  for (int64_t length : {3, 16, 50}) {
    Operands ops({1, 2, length, length, 32});
    for (int64_t i = 0; i < length; ++i) ops.mask[length + i] = -kInfinity;
    ops.MaskPairs();
    Check(ops, 1);
  }
}

TEST(AttentionBf16, NanStaysInItsRow) {
  Operands ops({1, 1, 20, 20, 32});
  ops.q[3 * 32 + 1] = std::numeric_limits<float>::quiet_NaN();
  ThreadPool one(1);
  for (const AttentionF32Kernel* kernel : Runnable()) {
    const std::vector<float> got = ops.Run(*kernel, &one);
    for (size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(std::isnan(got[i]), i / 32 == 3) << kernel->name << " " << i;
    }
  }
}

TEST(AttentionBf16, ResultDoesNotDependOnThreads) {
  ThreadPool one(1), three(3);
  for (int64_t length : {7, 100, 224}) {
    Operands ops({length == 7 ? 40 : 3, 5, length, length, 32});
    ops.MaskPairs();
    for (const AttentionF32Kernel* kernel : Runnable()) {
      for (bool by_rows : {false, true}) {
        ops.args.by_rows = by_rows;
        EXPECT_EQ(ops.Run(*kernel, &one), ops.Run(*kernel, &three))
            << kernel->name << " " << length
            << (by_rows ? " by rows" : " by heads");
      }
    }
  }
}

TEST(AttentionBf16, IsPickedWhereItIsFaster) {
  EXPECT_EQ(PickAttentionBf16(Isa::kAmx, 8, 128), nullptr);
  EXPECT_EQ(PickAttentionBf16(Isa::kAmx, 160, 128), nullptr);
  EXPECT_EQ(PickAttentionBf16(Isa::kAmx, 64, 16), nullptr);
  EXPECT_EQ(PickAttentionBf16(Isa::kVnni, 64, 128), nullptr);
}

#if defined(__x86_64__)
TEST(AttentionBf16, AmxRowComputesWhatItsEmulationDoes) {
  if (DetectIsa() < Isa::kVnni || !__builtin_cpu_supports("avx512bf16")) {
    GTEST_SKIP() << "needs AVX-512 with VNNI and bf16";
  }
  const AttentionF32Kernel* amx = PickAttentionBf16(Isa::kAmx, 32, 128);
  ASSERT_NE(amx, nullptr);
  const TrappedTiles tiles;
  ThreadPool pool(2);
  for (const Case& c : {Case{1, 2, 33, 40, 32}, Case{1, 1, 5, 130, 64},
                        Case{2, 1, 16, 16, 24}}) {
    const Operands ops(c);
    ExpectClose(ops.Run(*amx, &pool), ops.Run(kEmulatedAmx, &pool), 1e-5);
  }
}
#endif

}  // namespace
}  // namespace stint
