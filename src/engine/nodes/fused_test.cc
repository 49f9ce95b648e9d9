#include "engine/testing/kernel_case.h"
#include "kernels/conv_blocked_f32/conv_blocked_f32_table.h"

namespace stint {
namespace {

FusedLinear Linear(const std::string& activation, int64_t transposed) {
  FusedLinear op;
  op.activation = activation;
  op.transB = transposed;
  return op;
}

TEST(FastLinear, MatchesReference) {
  for (const char* activation : {"none", "gelu", "gelu_tanh", "silu", "sigmoid",
                                 "tanh", "hard_swish", "hard_sigmoid"}) {
    ExpectFastMatchesReference(
        Linear(activation, 0),
        {In{{2, 7, 20}}, In{{2, 7, 30}}, Constant({20, 30}), Constant({30})});
  }
  ExpectFastMatchesReference(
      Linear("none", 1), {In{{5, 20}}, Absent(), Constant({30, 20}), Absent()});
}

TEST(FastLinear, JoinsLayersOfOneInput) {
  for (int64_t transposed : {0, 1}) {
    const auto weight = [&](int64_t n) {
      return transposed ? Constant({n, 24}) : Constant({24, n});
    };
    ExpectFastMatchesReference(
        Linear("none", transposed),
        {In{{3, 24}}, Absent(), weight(48), Constant({48}), weight(10),
         Absent(), weight(7), Constant({7})});
  }
}

TEST(FastLinear, AddsAResidualThatBroadcasts) {
  ExpectFastMatchesReference(Linear("none", 0), {In{{2, 3, 8}}, In{{2, 1, 8}},
                                                 Constant({8, 8}), Absent()});
}

FusedLinearNorm NormedLinear(int64_t transposed) {
  FusedLinearNorm op;
  op.transB = transposed;
  op.epsilon = 1e-3f;
  return op;
}

// With 3 threads, 9 rows are split by columns and 200 by rows.
TEST(FastLinear, NormalizesItsRows) {
  for (int64_t rows : {1, 9, 200}) {
    ExpectFastMatchesReference(
        NormedLinear(0), {In{{rows, 64}}, In{{rows, 120}}, Constant({64, 120}),
                          Constant({120}), Constant({120}), Constant({120})});
    ExpectFastMatchesReference(NormedLinear(1),
                               {In{{rows, 64}}, Absent(), Constant({120, 64}),
                                Absent(), Constant({120}), Absent()});
  }
}

TEST(FastLinear, NormalizesRowsWithAResidualThatBroadcasts) {
  ExpectFastMatchesReference(NormedLinear(0),
                             {In{{2, 3, 8}}, In{{2, 1, 8}}, Constant({8, 8}),
                              Absent(), Constant({8}), Constant({8})});
}

// Reference in float32, kernels in fewer bits: close, not equal.
void ExpectPrecisionIsClose(const Op& op, const std::vector<In>& inputs,
                            Precision precision, double tolerance) {
  const KernelCase test(op, inputs, 1);
  ThreadPool pool(2);
  EvalContext expected = test.MakeContext(&pool);
  ASSERT_TRUE(Evaluate(op, expected).ok());
  for (Isa isa : IsasHere()) {
    EvalContext ctx = test.MakeContext(&pool);
    auto kernel = MakeFastKernel(op, test.types(), {isa, 2, precision});
    ASSERT_TRUE(kernel.ok());
    ASSERT_TRUE(RunOnce(kernel->get(), &ctx).ok());
    double worst = 0;
    for (int64_t i = 0; i < ctx.out(0).size(); ++i) {
      worst =
          std::max<double>(worst, std::fabs(ctx.out(0).data<float>()[i] -
                                            expected.out(0).data<float>()[i]));
    }
    EXPECT_LT(worst, tolerance) << IsaName(isa);
    EXPECT_GT(worst, 0) << IsaName(isa) << " computes in float32";
  }
}

TEST(FastLinear, FewerBitsStayClose) {
  const std::vector<In> inputs = {In{{9, 64}}, In{{9, 40}}, Constant({40, 64}),
                                  Constant({40})};
  const FusedLinear op = Linear("gelu", 1);
  ExpectPrecisionIsClose(op, inputs, Precision::kBFloat16, 0.05);
  ExpectPrecisionIsClose(op, inputs, Precision::kInt8, 0.15);
}

TEST(FastLinear, FewerBitsStayCloseWhenRowsAreNormalized) {
  for (int64_t rows : {9, 200}) {
    const std::vector<In> inputs = {In{{rows, 64}},     In{{rows, 96}},
                                    Constant({96, 64}), Constant({96}),
                                    Constant({96}),     Constant({96})};
    const FusedLinearNorm op = NormedLinear(1);
    ExpectPrecisionIsClose(op, inputs, Precision::kBFloat16, 0.05);
    ExpectPrecisionIsClose(op, inputs, Precision::kInt8, 0.15);
  }
}

TEST(FastAttention, MatchesReference) {
  const FusedAttention op{3, 0.5f};
  ExpectFastMatchesReference(op,
                             {In{{2, 9, 72}}, Absent(), Absent(), Absent()});
  ExpectFastMatchesReference(
      op, {In{{2, 9, 72}}, Absent(), Absent(), In{{2, 1, 1, 9}}});
  ExpectFastMatchesReference(
      op, {In{{2, 5, 24}}, In{{2, 9, 24}}, In{{2, 9, 24}}, In{{5, 9}}});
  ExpectFastMatchesReference(
      op, {In{{2, 5, 24}}, In{{2, 9, 24}}, In{{2, 9, 24}}, In{{2, 3, 5, 9}}});
  // A mask with one number per query.
  ExpectReferenceRuns(op,
                      {In{{2, 9, 72}}, Absent(), Absent(), In{{2, 1, 9, 1}}});
}

TEST(FastFusedConv, MatchesReference) {
  FusedConv op;
  op.pads = {1, 1, 1, 1};
  op.activation = "silu";
  ExpectFastMatchesReference(op, {In{{2, 6, 9, 9}}, Constant({10, 6, 3, 3}),
                                  Constant({10}), In{{2, 10, 9, 9}}});
  op.group = 6;
  ExpectFastMatchesReference(op, {In{{2, 6, 9, 9}}, Constant({6, 1, 3, 3}),
                                  Constant({6}), In{{2, 6, 9, 9}}});
}

// Blocks of the instruction set at hand, so that no reference hides the kernel.
void ExpectBlockedConvMatches(Isa isa) {
  const int64_t block = ConvBlockedF32Block(isa);
  BlockedConv op;
  op.block = block;
  op.pads = {1, 1, 1, 1};
  op.lo = 0;
  for (int64_t channels : {3 * block, int64_t{3}}) {
    const In x = channels == 3 ? In{{2, 3, 9, 9}} : In{{2, 3, 9, 9, block}};
    const KernelCase test(op,
                          {x, Constant({2 * block, channels, 3, 3}),
                           Constant({2 * block}), In{{2, 2, 9, 9, block}}},
                          1);
    ThreadPool pool(2);
    EvalContext expected = test.MakeContext(&pool);
    ASSERT_TRUE(Evaluate(op, expected).ok());
    EvalContext ctx = test.MakeContext(&pool);
    auto kernel = MakeFastKernel(op, test.types(), {isa, 2});
    ASSERT_TRUE(kernel.ok());
    ASSERT_TRUE(RunOnce(kernel->get(), &ctx).ok());
    ExpectClose(Elements(ctx.out(0)), Elements(expected.out(0)), 2e-4);
  }
}

TEST(FastBlocked, ConvolutionMatchesReference) {
  for (Isa isa : IsasHere()) ExpectBlockedConvMatches(isa);
}

// Blocks of 8 channels, or of 16, have kernels where convolutions make them.
template <int block>
bool HasBlocksOf(Isa isa) {
  return ConvBlockedF32Block(isa) == block;
}

template <int block>
void ExpectBlockedOpsMatch() {
  const auto expect = [](const Op& op) {
    ExpectMatchesReference(KernelCase(op, {In{{2, 3, 9, 9, block}}}, 1),
                           HasBlocksOf<block>, 2e-5);
  };
  BlockedMaxPool max;
  max.kernel_shape = {3, 3};
  max.strides = {2, 2};
  max.pads = {1, 1, 1, 1};
  expect(max);
  BlockedAveragePool average;
  average.kernel_shape = {2, 2};
  average.ceil_mode = 1;
  average.strides = {2, 2};
  expect(average);
  expect(BlockedGlobalAverage{});
  ExpectFastMatchesReference(ToBlocked{block}, {In{{2, 19, 4, 5}}});
  ExpectFastMatchesReference(FromBlocked{2 * block + 3},
                             {In{{2, 3, 4, 5, block}}});
}

TEST(FastBlocked, PoolingAndReorderingMatchReference) {
  ExpectBlockedOpsMatch<8>();
  ExpectBlockedOpsMatch<16>();
}

TEST(FastBinary, BroadcastsOverMiddleDimensions) {
  ExpectFastMatchesReference(Binary{BinaryKind::kMul},
                             {In{{2, 3, 5, 6, 8}}, In{{2, 3, 1, 1, 8}}});
  ExpectFastMatchesReference(Binary{BinaryKind::kSub},
                             {In{{4, 1, 6, 1}}, In{{3, 1, 5}}});
}

}  // namespace
}  // namespace stint
