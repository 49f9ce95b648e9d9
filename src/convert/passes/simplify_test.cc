#include "convert/passes/testing/pass_case.h"

namespace stint {
namespace {

const Unary kRelu{UnaryKind::kRelu};

TEST(SimplifyShapes, MakesTheTargetOfAReshapeConstant) {
  PassCase c({kFirstSymbol, kFirstSymbol - 1, 8});
  c.graph.Symbol("batch");
  c.graph.Symbol("length");
  const ValueId shape = c.Add(Shape_{}, {c.x});
  const ValueId batch = c.Add(Gather{0}, {shape, c.Ints({0})});
  const ValueId length = c.Add(
      Unsqueeze{},
      {c.Add(Gather{0},
             {shape, c.graph.AddConstant("one", Tensor::Scalar<int64_t>(1))}),
       c.Ints({0})});
  const ValueId target =
      c.Add(Concat{0}, {batch, length, c.Ints({2}), c.Ints({4})});
  const ValueId split = c.Add(Reshape{}, {c.x, target});
  c.Output(c.Add(kRelu, {split}));
  c.ExpectOptimized("Reshape Relu", {2, 3, 8});
  const ValueType& type = c.graph.value(c.graph.outputs()[0]).type;
  EXPECT_EQ(type.dims, (Shape{kFirstSymbol, kFirstSymbol - 1, 2, 4}));
}

TEST(SimplifyShapes, LeavesATargetWithTwoSizesThatOnlyTheRunKnows) {
  PassCase c({kFirstSymbol, kFirstSymbol - 1});
  c.graph.Symbol("batch");
  c.graph.Symbol("length");
  const ValueId shape = c.Add(Shape_{}, {c.x});
  const ValueId target = c.Add(Gather{0}, {shape, c.Ints({1, 0})});  // swapped
  c.Output(c.Add(kRelu, {c.Add(Reshape{}, {c.x, target})}));
  c.ExpectOptimized("Shape Gather Reshape Relu", {2, 3});
}

TEST(FoldConstants, ComputesWhatDependsOnConstantsAlone) {
  PassCase c({3});
  const ValueId sum =
      c.Add(Binary{BinaryKind::kAdd}, {c.Weights({3}), c.Weights({3}, 2)});
  c.Output(c.Add(Binary{BinaryKind::kMul}, {c.x, sum}));
  c.ExpectOptimized("Mul", {3});
}

TEST(FoldConstants, LeavesWhatWouldFillTheFile) {
  PassCase c({1});
  const ValueId wide = c.Add(Expand{}, {c.Weights({1}), c.Ints({1000, 1000})});
  c.Output(c.Add(Binary{BinaryKind::kMul}, {c.x, wide}));
  ASSERT_TRUE(RunPasses(&c.graph).ok());
  EXPECT_EQ(c.Ops(), "Expand Mul");
}

TEST(FoldConstants, WidensLargeWeightsOfTwoBytes) {
  for (DType narrow : {DType::kFloat16, DType::kBFloat16}) {
    PassCase c({1, 300});
    Tensor stored = Tensor::Allocate(narrow, {300, 300}).value();
    auto* bits = static_cast<uint16_t*>(stored.raw());
    for (int64_t i = 0; i < stored.size(); ++i) {
      bits[i] = static_cast<uint16_t>(0x3c00 + i % 100);
    }
    const ValueId weights =
        c.Add(Cast{DType::kFloat32}, {c.graph.AddConstant("w", stored)});
    c.Output(c.Add(MatMul{}, {c.x, weights}));
    c.ExpectOptimized("FusedLinear", {1, 300});
  }
}

TEST(FoldConstants, LeavesRandomNumbersAndStoredIntegers) {
  PassCase c({4});
  const ValueId like = c.Add(RandomNormalLike{}, {c.Weights({4})});
  const ValueId codes = c.graph.AddConstant(
      "codes", Tensor::FromVector<int8_t>({4}, {1, 2, 3, 4}).value());
  const ValueId weights = c.Add(DequantizeLinear{}, {codes, c.Scalar(0.5f)});
  const ValueId sum = c.Add(Binary{BinaryKind::kAdd}, {like, weights});
  c.Output(c.Add(Binary{BinaryKind::kMul}, {c.x, sum}));
  ASSERT_TRUE(RunPasses(&c.graph).ok());
  EXPECT_EQ(c.Ops(), "RandomNormalLike DequantizeLinear Add Mul");
}

TEST(RemoveNoOps, TakesOutWhatChangesNothing) {
  PassCase c({2, 3});
  ValueId y = c.Add(Unary{UnaryKind::kIdentity}, {c.x});
  y = c.Add(Cast{DType::kFloat32}, {y});
  y = c.Add(Transpose{{1, 0}}, {y});
  y = c.Add(Transpose{{1, 0}}, {y});
  y = c.Add(Reshape{}, {y, c.Ints({2, -1})});
  c.Output(c.Add(kRelu, {y}));
  c.ExpectOptimized("Relu", {2, 3});
}

TEST(RemoveNoOps, KeepsRealChangesAndTheNamesOfOutputs) {
  PassCase c({2, 3});
  const ValueId turned = c.Add(Transpose{{1, 0}}, {c.x});
  c.Output(c.Add(Unary{UnaryKind::kIdentity}, {turned}));
  c.ExpectOptimized("Transpose Identity", {2, 3});
}

TEST(RunPasses, NamesAnUnknownPass) {
  PassCase c({1});
  c.Output(c.Add(kRelu, {c.x}));
  PassOptions options;
  options.disabled = {"no-such-pass"};
  const auto result = RunPasses(&c.graph, options);
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.status().message().find("no pass 'no-such-pass'"),
            std::string::npos);
}

TEST(RunPasses, LeavesOutWhatIsDisabled) {
  PassCase c({2, 4});
  c.Output(c.Add(kRelu, {c.Add(MatMul{}, {c.x, c.Weights({4, 5})})}));
  PassOptions options;
  options.disabled = {"fuse-activation"};
  ASSERT_TRUE(RunPasses(&c.graph, options).ok());
  EXPECT_EQ(c.Ops(), "FusedLinear Relu");
}

}  // namespace
}  // namespace stint
