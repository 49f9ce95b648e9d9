#include "convert/passes/split_norms.h"
#include "convert/passes/testing/pass_case.h"

namespace stint {
namespace {

const Unary kRelu{UnaryKind::kRelu};
const Binary kAdd{BinaryKind::kAdd};
const Binary kMul{BinaryKind::kMul};
const Binary kDiv{BinaryKind::kDiv};

TEST(FuseConv, TakesBatchNormSumAndActivation) {
  PassCase c({1, 4, 6, 6});
  Conv conv;
  conv.pads = {1, 1, 1, 1};
  const ValueId y = c.Add(conv, {c.x, c.Weights({4, 4, 3, 3})});
  const ValueId normed =
      c.Add(BatchNormalization{}, {y, c.Weights({4}, 2), c.Weights({4}, 3),
                                   c.Weights({4}, 4), c.Weights({4}, 5)});
  const ValueId sum = c.Add(kAdd, {c.x, normed});
  c.Output(c.Add(kRelu, {sum}));
  c.ExpectOptimized("FusedConv", {1, 4, 6, 6});
}

TEST(FuseConv, LeavesWeightsThatARunComputes) {
  PassCase c({4, 4, 1, 1});
  const ValueId weights = c.Add(kMul, {c.x, c.x});
  c.Output(c.Add(kRelu, {c.Add(Conv{}, {c.x, weights})}));
  c.ExpectOptimized("Mul Conv Relu", {4, 4, 1, 1});
}

TEST(FoldBatchNorm, LeavesAConvolutionThatSomebodyElseReads) {
  PassCase c({1, 4, 6, 6});
  const ValueId y = c.Add(Conv{}, {c.x, c.Weights({4, 4, 1, 1})});
  const ValueId normed =
      c.Add(BatchNormalization{}, {y, c.Weights({4}, 2), c.Weights({4}, 3),
                                   c.Weights({4}, 4), c.Weights({4}, 5)});
  c.Output(c.Add(kMul, {y, normed}));
  c.ExpectOptimized("FusedConv FusedConv Mul", {1, 4, 6, 6});
}

// A convolution, and beside it every second pixel with channels of zeros.
struct ShortcutCase : PassCase {
  explicit ShortcutCase(std::vector<int64_t> pads, int64_t start = 0)
      : PassCase({1, 4, 8, 6}) {
    Conv conv;
    conv.strides = {2, 2};
    conv.pads = {1, 1, 1, 1};
    const ValueId y = Add(conv, {x, Weights({8, 4, 3, 3})});
    const ValueId taken = Add(Slice{}, {x, Ints({start, 0}), Ints({99, 99}),
                                        Ints({2, 3}), Ints({2, 2})});
    Output(Add(Binary{BinaryKind::kAdd}, {y, Add(Pad{}, {taken, Ints(pads)})}));
  }
};

TEST(ShortcutToConv, CopiesByAConvolution) {
  ShortcutCase c({0, 3, 0, 0, 0, 1, 0, 0});
  c.ExpectOptimized("FusedConv FusedConv", {1, 4, 8, 6});
}

TEST(ShortcutToConv, LeavesOtherSlicesAndPads) {
  ShortcutCase odd({0, 3, 0, 0, 0, 1, 0, 0}, 1);  // pixels
  odd.ExpectOptimized("Slice Pad FusedConv", {1, 4, 8, 6});
  PassCase alone({1, 4, 6, 6});
  const ValueId taken =
      alone.Add(Slice{}, {alone.x, alone.Ints({0, 0}), alone.Ints({99, 99}),
                          alone.Ints({2, 3}), alone.Ints({2, 2})});
  alone.Output(alone.Add(Pad{}, {taken, alone.Ints({0, 2, 0, 0, 0, 2, 0, 0})}));
  alone.ExpectOptimized("Slice Pad", {1, 4, 6, 6});
}

TEST(FuseConv, TakesWeightsInCodes) {
  PassCase c({1, 4, 6, 6});
  const ValueId codes = c.graph.AddConstant(
      "codes",
      Tensor::FromVector<int8_t>({2, 4, 1, 1}, {1, -2, 3, 4, -5, 6, 7, 8})
          .value());
  const ValueId w = c.Add(DequantizeLinear{}, {codes, c.Scalar(0.5f)});
  c.Output(c.Add(Unary{UnaryKind::kRelu}, {c.Add(Conv{}, {c.x, w})}));
  c.ExpectOptimized("DequantizeLinear FusedConv", {1, 4, 6, 6});
}

TEST(BatchNormToConv, TakesTheActivationThatFollows) {
  PassCase c({1, 4, 6, 6});
  const ValueId normed =
      c.Add(BatchNormalization{}, {c.x, c.Weights({4}, 2), c.Weights({4}, 3),
                                   c.Weights({4}, 4), c.Weights({4}, 5)});
  const ValueId y = c.Add(kRelu, {normed});
  c.Output(c.Add(Conv{}, {y, c.Weights({4, 4, 1, 1})}));
  c.ExpectOptimized("FusedConv FusedConv", {1, 4, 6, 6});
}

TEST(BatchNormToConv, LeavesGraphsWithoutConvolutionsAndOtherRanks) {
  PassCase alone({1, 4, 6, 6});
  alone.Output(alone.Add(BatchNormalization{},
                         {alone.x, alone.Weights({4}, 2), alone.Weights({4}, 3),
                          alone.Weights({4}, 4), alone.Weights({4}, 5)}));
  alone.ExpectOptimized("BatchNormalization", {1, 4, 6, 6});
  PassCase flat({1, 4, 6});
  const ValueId normed = flat.Add(
      BatchNormalization{}, {flat.x, flat.Weights({4}, 2), flat.Weights({4}, 3),
                             flat.Weights({4}, 4), flat.Weights({4}, 5)});
  flat.Output(flat.Add(Conv{}, {normed, flat.Weights({4, 4, 1})}));
  flat.ExpectOptimized("BatchNormalization FusedConv", {1, 4, 6});
}

TEST(FuseResidual, LeavesASumThatBroadcastsIntoAConvolution) {
  PassCase c({1, 4, 6, 6});
  const ValueId y = c.Add(Conv{}, {c.x, c.Weights({4, 4, 1, 1})});
  const ValueId pooled = c.Add(GlobalAveragePool{}, {c.x});
  c.Output(c.Add(kAdd, {y, pooled}));
  c.ExpectOptimized("FusedConv GlobalAveragePool Add", {1, 4, 6, 6});
}

TEST(FuseActivation, LeavesAnActivationOfWhatIsReadTwice) {
  PassCase c({2, 4});
  const ValueId y = c.Add(MatMul{}, {c.x, c.Weights({4, 5})});
  c.Output(c.Add(kMul, {y, c.Add(kRelu, {y})}));
  c.ExpectOptimized("FusedLinear Relu Mul", {2, 4});
}

TEST(FuseLinear, TakesBiasActivationAndTransposedWeights) {
  PassCase c({2, 3, 4});
  const ValueId turned = c.Add(Transpose{{1, 0}}, {c.Weights({5, 4})});
  const ValueId product = c.Add(MatMul{}, {c.x, turned});
  const ValueId biased = c.Add(kAdd, {c.Weights({5}, 2), product});
  c.Output(c.Add(Gelu{"tanh"}, {biased}));
  c.ExpectOptimized("FusedLinear", {2, 3, 4});
}

TEST(FuseLinear, TakesAResidual) {
  PassCase c({2, 3, 4});
  const ValueId product = c.Add(MatMul{}, {c.x, c.Weights({4, 4})});
  const ValueId biased = c.Add(kAdd, {product, c.Weights({4}, 2)});
  c.Output(c.Add(kAdd, {biased, c.x}));
  c.ExpectOptimized("FusedLinear", {2, 3, 4});
}

TEST(FuseNorm, TakesALinearLayerWithItsResidual) {
  PassCase c({2, 3, 4});
  const ValueId y = c.Add(MatMul{}, {c.x, c.Weights({4, 4})});
  const ValueId biased = c.Add(kAdd, {y, c.Weights({4}, 2)});
  const ValueId sum = c.Add(kAdd, {biased, c.x});
  c.Output(
      c.Add(LayerNormalization{}, {sum, c.Weights({4}, 3), c.Weights({4}, 4)}));
  c.ExpectOptimized("FusedLinearNorm", {2, 3, 4});
}

TEST(FuseNorm, LeavesAProductThatSomebodyElseReads) {
  PassCase c({2, 3, 4});
  const ValueId y = c.Add(MatMul{}, {c.x, c.Weights({4, 4})});
  const ValueId normed = c.Add(LayerNormalization{}, {y, c.Weights({4}, 3)});
  c.Output(c.Add(kMul, {y, normed}));
  c.ExpectOptimized("FusedLinear LayerNormalization Mul", {2, 3, 4});
}

TEST(FuseNorm, LeavesAnotherAxis) {
  PassCase c({2, 3, 4});
  LayerNormalization norm;
  norm.axis = 1;
  const ValueId y = c.Add(MatMul{}, {c.x, c.Weights({4, 4})});
  c.Output(c.Add(norm, {y, c.Weights({3, 4}, 3)}));
  c.ExpectOptimized("FusedLinear LayerNormalization", {2, 3, 4});
}

TEST(SplitNorms, UndoesWhatFuseNormDid) {
  PassCase c({2, 3, 4});
  const ValueId y = c.Add(MatMul{}, {c.x, c.Weights({4, 4})});
  const ValueId sum = c.Add(kAdd, {y, c.x});
  c.Output(
      c.Add(LayerNormalization{}, {sum, c.Weights({4}, 3), c.Weights({4}, 4)}));
  const std::vector<float> want = c.Run({2, 3, 4});
  ASSERT_TRUE(RunPasses(&c.graph).ok());
  ASSERT_EQ(c.Ops(), "FusedLinearNorm");
  ASSERT_TRUE(SplitNorms(&c.graph).ok());
  EXPECT_EQ(c.Ops(), "FusedLinear LayerNormalization");
  const std::vector<float> got = c.Run({2, 3, 4});
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-5);
}

TEST(FuseLinear, LeavesAProductOfTwoActivations) {
  PassCase c({4, 4});
  c.Output(c.Add(MatMul{}, {c.x, c.Add(kRelu, {c.x})}));
  c.ExpectOptimized("Relu MatMul", {4, 4});
}

TEST(FuseLinear, LeavesAGemmThatScales) {
  PassCase c({4, 4});
  Gemm gemm;
  gemm.alpha = 0.5f;
  c.Output(c.Add(gemm, {c.x, c.Weights({4, 4})}));
  c.ExpectOptimized("Gemm", {4, 4});
}

TEST(FuseGelu, KnowsTheErfFormInAnyOrder) {
  for (int order : {0, 1, 2}) {
    PassCase c({2, 8});
    const ValueId erf = c.Add(Unary{UnaryKind::kErf},
                              {c.Add(kDiv, {c.x, c.Scalar(1.41421356f)})});
    const ValueId gate = c.Add(kAdd, {erf, c.Scalar(1.0f)});
    const ValueId half = c.Scalar(0.5f);
    if (order == 0) c.Output(c.Add(kMul, {c.Add(kMul, {c.x, gate}), half}));
    if (order == 1) c.Output(c.Add(kMul, {c.Add(kMul, {c.x, half}), gate}));
    if (order == 2) c.Output(c.Add(kMul, {c.x, c.Add(kMul, {half, gate})}));
    c.ExpectOptimized("Gelu", {2, 8});
  }
}

TEST(FuseGelu, KnowsTheTanhForm) {
  PassCase c({2, 8});
  const ValueId cube = c.Add(Binary{BinaryKind::kPow}, {c.x, c.Scalar(3.0f)});
  const ValueId inner =
      c.Add(kAdd, {c.x, c.Add(kMul, {cube, c.Scalar(0.044715f)})});
  const ValueId tanh = c.Add(Unary{UnaryKind::kTanh},
                             {c.Add(kMul, {inner, c.Scalar(0.7978845608f)})});
  const ValueId gate = c.Add(kAdd, {tanh, c.Scalar(1.0f)});
  c.Output(c.Add(kMul, {c.Add(kMul, {c.Scalar(0.5f), c.x}), gate}));
  c.ExpectOptimized("Gelu", {2, 8});
}

TEST(FuseGelu, LeavesAnotherScale) {
  PassCase c({2, 8});
  const ValueId erf =
      c.Add(Unary{UnaryKind::kErf}, {c.Add(kDiv, {c.x, c.Scalar(1.5f)})});
  const ValueId gate = c.Add(kAdd, {erf, c.Scalar(1.0f)});
  c.Output(c.Add(kMul, {c.Add(kMul, {c.x, gate}), c.Scalar(0.5f)}));
  c.ExpectOptimized("Div Erf Add Mul Mul", {2, 8});
}

TEST(FuseSwish, KnowsItsForms) {
  PassCase silu({2, 8});
  silu.Output(
      silu.Add(kMul, {silu.Add(Unary{UnaryKind::kSigmoid}, {silu.x}), silu.x}));
  silu.ExpectOptimized("Swish", {2, 8});

  PassCase hard({2, 8});
  const ValueId line = hard.Add(kAdd, {hard.x, hard.Scalar(3.0f)});
  const ValueId clipped =
      hard.Add(Clip{}, {line, hard.Scalar(0.0f), hard.Scalar(6.0f)});
  hard.Output(
      hard.Add(kDiv, {hard.Add(kMul, {hard.x, clipped}), hard.Scalar(6.0f)}));
  hard.ExpectOptimized("HardSwish", {2, 8});
}

TEST(FuseSwish, LeavesTheGateOfAnotherValue) {
  PassCase c({2, 8});
  const ValueId y = c.Add(Unary{UnaryKind::kTanh}, {c.x});
  c.Output(c.Add(kMul, {y, c.Add(Unary{UnaryKind::kSigmoid}, {c.x})}));
  c.ExpectOptimized("Tanh Sigmoid Mul", {2, 8});
}

ValueId Norm(PassCase* c, int64_t axis, float exponent) {
  const Reduce mean{ReduceKind::kMean, 1, 0};
  const ValueId centered = c->Add(
      Binary{BinaryKind::kSub}, {c->x, c->Add(mean, {c->x, c->Ints({axis})})});
  const ValueId square =
      c->Add(Binary{BinaryKind::kPow}, {centered, c->Scalar(exponent)});
  const ValueId variance = c->Add(mean, {square, c->Ints({axis})});
  const ValueId root = c->Add(Unary{UnaryKind::kSqrt},
                              {c->Add(kAdd, {variance, c->Scalar(1e-5f)})});
  const ValueId scaled =
      c->Add(kMul, {c->Add(kDiv, {centered, root}), c->Weights({8})});
  return c->Add(kAdd, {scaled, c->Weights({8}, 2)});
}

TEST(FuseLayerNorm, KnowsTheSpelledOutForm) {
  PassCase c({2, 3, 8});
  c.Output(Norm(&c, -1, 2.0f));
  c.ExpectOptimized("LayerNormalization", {2, 3, 8});
}

TEST(FuseLayerNorm, LeavesAnotherAxisOrPower) {
  for (const auto& [axis, exponent] : {std::pair{1, 2.0f}, {-1, 4.0f}}) {
    PassCase c({2, 3, 8});
    c.Output(Norm(&c, axis, exponent));
    c.ExpectOptimized("ReduceMean Sub Pow ReduceMean Add Sqrt Div Mul Add",
                      {2, 3, 8});
  }
}

struct AttentionForm {
  bool scale_keys = false;   // the factor on q and k instead of the scores
  bool double_turn = false;  // keys transposed in two steps
  int64_t axis = -1;
  bool other_values = false;  // values come from another input
};

// Two heads of size 4 over [batch, length, 8].
void AddAttention(PassCase* c, const AttentionForm& form) {
  const auto project = [&](uint32_t seed) {
    const bool other = form.other_values && seed == 3;
    const ValueId x = other ? c->Add(kMul, {c->x, c->x}) : c->x;
    const ValueId y = c->Add(MatMul{}, {x, c->Weights({8, 8}, seed)});
    const ValueId biased = c->Add(kAdd, {y, c->Weights({8}, seed + 10)});
    return c->Add(Reshape{}, {biased, c->Ints({0, 0, 2, 4})});
  };
  ValueId q = c->Add(Transpose{{0, 2, 1, 3}}, {project(1)});
  const ValueId keys = project(2);
  ValueId k;
  if (form.double_turn) {
    k = c->Add(Transpose{{0, 2, 1, 3}}, {keys});
    k = c->Add(Transpose{{0, 1, 3, 2}}, {k});
  } else {
    k = c->Add(Transpose{{0, 2, 3, 1}}, {keys});
  }
  const ValueId v = c->Add(Transpose{{0, 2, 1, 3}}, {project(3)});
  if (form.scale_keys) {
    q = c->Add(kMul, {q, c->Scalar(0.70710678f)});
    k = c->Add(kMul, {k, c->Scalar(0.70710678f)});
  }
  ValueId scores = c->Add(MatMul{}, {q, k});
  if (!form.scale_keys) scores = c->Add(kDiv, {scores, c->Scalar(2.0f)});
  const ValueId mask = c->Weights({1, 1, 1, 5}, 9);
  scores = c->Add(kAdd, {scores, mask});
  const ValueId mixed =
      c->Add(MatMul{}, {c->Add(Softmax{form.axis}, {scores}), v});
  const ValueId joined = c->Add(Transpose{{0, 2, 1, 3}}, {mixed});
  c->Output(c->Add(Reshape{}, {joined, c->Ints({0, 0, 8})}));
}

TEST(FuseAttention, KnowsTheFormsOfExporters) {
  for (const AttentionForm& form :
       {AttentionForm{}, AttentionForm{true, false, -1},
        AttentionForm{false, true, 3}}) {
    PassCase c({2, 5, 8});
    AddAttention(&c, form);
    c.ExpectOptimized("FusedLinear FusedAttention Reshape", {2, 5, 8});
  }
}

TEST(MergeLinears, LeavesProjectionsOfDifferentInputs) {
  PassCase c({2, 5, 8});
  AddAttention(&c, {false, false, -1, true});
  c.ExpectOptimized(
      "FusedLinear FusedLinear Mul FusedLinear FusedAttention Reshape",
      {2, 5, 8});
}

TEST(FuseAttention, LeavesASoftmaxOverQueries) {
  PassCase c({2, 5, 8});
  AddAttention(&c, {false, false, 2});
  const std::vector<float> before = c.Run({2, 5, 8});
  ASSERT_TRUE(RunPasses(&c.graph).ok());
  EXPECT_EQ(c.Ops().find("FusedAttention"), std::string::npos);
  EXPECT_EQ(c.Run({2, 5, 8}).size(), before.size());
}

}  // namespace
}  // namespace stint
