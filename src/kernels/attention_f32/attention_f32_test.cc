#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/testing/isa_variants.h"
#include "kernels/testing/attention_operands.h"

namespace stint {
namespace {

enum class Mask { kNone, kKeys, kMatrix };

std::vector<const AttentionF32Kernel*> Runnable() {
  std::vector<const AttentionF32Kernel*> rows;
  for (const AttentionF32Kernel& kernel : AttentionF32Table()) {
    if (RunsHere(kernel)) rows.push_back(&kernel);
  }
  return rows;
}

struct Operands : AttentionOperands {
  explicit Operands(const AttentionCase& c, Mask kind = Mask::kNone)
      : AttentionOperands(c) {
    if (kind == Mask::kKeys) MaskKeys();
    if (kind == Mask::kMatrix) MaskPairs();
  }
};

// One row of one head by the definition. Masked scores are rounded to float:
// -1e9 swallows them.
void WantRow(const AttentionF32Args& args, int64_t b, int64_t h, int64_t i,
             float* out) {
  auto row = [&](const AttentionF32View<const float>& view, int64_t r) {
    return view.data + b * view.batch_stride + r * view.row_stride +
           h * view.head_stride;
  };
  std::vector<double> x(args.length_k);
  double max = -1e300, sum = 0;
  for (int64_t j = 0; j < args.length_k; ++j) {
    for (int64_t d = 0; d < args.head_size; ++d) {
      x[j] += static_cast<double>(row(args.q, i)[d]) * row(args.k, j)[d];
    }
    x[j] *= args.scale;
    if (args.mask.data) x[j] = static_cast<float>(x[j] + row(args.mask, i)[j]);
    max = std::fmax(max, x[j]);
  }
  for (double& weight : x) sum += weight = std::exp(weight - max);
  for (int64_t d = 0; d < args.head_size; ++d) {
    double y = 0;
    for (int64_t j = 0; j < args.length_k; ++j) y += x[j] * row(args.v, j)[d];
    out[d] = static_cast<float>(sum > 0 ? y / sum : 0);
  }
}

std::vector<float> WantAll(const Operands& ops) {
  std::vector<float> want(ops.q.size());
  const AttentionF32Args& args = ops.args;
  for (int64_t b = 0; b < args.batch; ++b) {
    for (int64_t h = 0; h < args.heads; ++h) {
      for (int64_t i = 0; i < args.length_q; ++i) {
        WantRow(args, b, h, i,
                want.data() + (b * args.length_q + i) * ops.hidden +
                    h * args.head_size);
      }
    }
  }
  return want;
}

void Check(const Operands& ops, int threads) {
  const std::vector<float> want = WantAll(ops);
  ThreadPool pool(threads);
  for (const AttentionF32Kernel* kernel : Runnable()) {
    SCOPED_TRACE(testing::Message()
                 << kernel->name << " " << ops.args.length_q << "x"
                 << ops.args.length_k << "x" << ops.args.head_size);
    ExpectClose(ops.Run(*kernel, &pool), want, 5e-6);
  }
}

TEST(AttentionF32, MatchesTheDefinitionForEachLength) {
  for (int64_t length : {1, 5, 16, 17, 47, 48, 49, 100, 128, 130}) {
    for (int64_t size : {32, 64})
      Check(Operands({2, 2, length, length, size}), 1);
  }
}

TEST(AttentionF32, MatchesTheDefinitionForEachHeadSize) {
  for (int64_t size : {8, 16, 24, 40, 48, 56, 72, 96, 128}) {
    Check(Operands({1, 3, 19, 21, size}), 1);
  }
}

TEST(AttentionF32, QueriesMayBeFewerOrMoreThanKeys) {
  Check(Operands({2, 3, 1, 130, 32}), 2);
  Check(Operands({1, 2, 70, 9, 64}), 2);
  Check(Operands({1, 1, 20, 1100, 32}), 2);
}

TEST(AttentionF32, AddsMaskOfKeysOrOfPairs) {
  for (Mask mask : {Mask::kKeys, Mask::kMatrix}) {
    for (int64_t length : {5, 17, 100, 128}) {
      Check(Operands({2, 2, length, length, 32}, mask), 2);
    }
  }
}

TEST(AttentionF32, MaskedKeysHaveNoWeight) {
  for (float low : {-std::numeric_limits<float>::infinity(), -1e9f, -3.4e38f,
                    std::numeric_limits<float>::lowest()}) {
    for (Mask mask : {Mask::kKeys, Mask::kMatrix}) {
      Operands ops({2, 2, 20, 20, 32}, mask);
      for (size_t i = 0; i < ops.mask.size(); ++i) {
        ops.mask[i] = i % 3 == 1 ? low : 0;
      }
      Check(ops, 1);
    }
  }
}

TEST(AttentionF32, RowsWithEveryKeyMaskedAreFinite) {
  for (float low : {-std::numeric_limits<float>::infinity(), -1e9f, -3.4e38f,
                    std::numeric_limits<float>::lowest()}) {
    for (int64_t length : {3, 16, 50}) {
      Operands ops({1, 2, length, length, 32}, Mask::kMatrix);
      for (int64_t i = 0; i < length; ++i) ops.mask[length + i] = low;
      Check(ops, 1);
    }
  }
}

TEST(AttentionF32, WeighsLargeScoresWithoutOverflow) {
  Operands ops({1, 1, 9, 30, 32});
  for (float& x : ops.q) x *= 1e4f;
  const std::vector<float> want = WantAll(ops);
  ThreadPool pool(1);
  for (const AttentionF32Kernel* kernel : Runnable()) {
    // A score of 1e4 is rounded by 1e-3, and so is its weight.
    ExpectClose(ops.Run(*kernel, &pool), want, 2e-2);
  }
}

TEST(AttentionF32, ResultDoesNotDependOnThreads) {
  const Operands ops({1, 5, 100, 100, 32});
  ThreadPool one(1), three(3);
  for (const AttentionF32Kernel* kernel : Runnable()) {
    EXPECT_EQ(ops.Run(*kernel, &one), ops.Run(*kernel, &three)) << kernel->name;
  }
}

}  // namespace
}  // namespace stint
