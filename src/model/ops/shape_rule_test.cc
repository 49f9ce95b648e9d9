// Shape rules against numbers worked out by hand.

#include <gtest/gtest.h>

#include "model/ops/op.h"

namespace stint {
namespace {

// One input of an op: a shape, with contents when they are known.
struct In {
  In(Shape shape)  // NOLINT: implicit
      : type(ValueType::Of(DType::kFloat32, std::move(shape))) {}
  In(DType dtype, Shape shape) : type(ValueType::Of(dtype, std::move(shape))) {}
  static In Ints(const std::vector<int64_t>& values) {
    In in(DType::kInt64, {static_cast<int64_t>(values.size())});
    in.contents = Tensor::Vector<int64_t>(values);
    return in;
  }
  ValueType type;
  std::optional<Tensor> contents;
};

// The output shapes, or the message of the error.
std::string Infer(const Op& op, const std::vector<In>& inputs,
                  int outputs = 1) {
  std::vector<InferContext::Input> list;
  for (const In& in : inputs) {
    list.push_back({&in.type, in.contents ? &*in.contents : nullptr});
  }
  InferContext ctx(std::move(list), outputs);
  const Status status = InferTypes(op, ctx);
  if (!status.ok()) return status.message();
  std::string text;
  for (const ValueType& type : ctx.outputs()) {
    text += ToString(type, {"batch"}) + " ";
  }
  text.pop_back();
  return text;
}

Conv MakeConv(std::vector<int64_t> strides, std::vector<int64_t> pads,
              std::vector<int64_t> dilations = {}, int64_t group = 1) {
  Conv op;
  op.strides = std::move(strides);
  op.pads = std::move(pads);
  op.dilations = std::move(dilations);
  op.group = group;
  return op;
}

TEST(ConvShape, FollowsTheWindowArithmetic) {
  const Shape x = {1, 3, 224, 224};
  EXPECT_EQ(Infer(MakeConv({2, 2}, {3, 3, 3, 3}), {x, Shape{64, 3, 7, 7}}),
            "float32[1,64,112,112]");
  EXPECT_EQ(Infer(MakeConv({}, {}), {x, Shape{8, 3, 3, 3}}),
            "float32[1,8,222,222]");
  EXPECT_EQ(Infer(MakeConv({}, {}, {2, 3}), {x, Shape{8, 3, 3, 3}}),
            "float32[1,8,220,218]");
  EXPECT_EQ(Infer(MakeConv({}, {1, 1, 1, 1}, {}, 3), {x, Shape{6, 1, 3, 3}}),
            "float32[1,6,224,224]");
}

TEST(ConvShape, KeepsABatchThatIsASymbol) {
  EXPECT_EQ(Infer(MakeConv({}, {}),
                  {Shape{kFirstSymbol, 3, 8, 8}, Shape{4, 3, 3, 3}}),
            "float32[batch,4,6,6]");
}

TEST(ConvShape, SamePaddingDividesByTheStride) {
  Conv op = MakeConv({2, 2}, {});
  for (const char* mode : {"SAME_UPPER", "SAME_LOWER"}) {
    op.auto_pad = mode;
    EXPECT_EQ(Infer(op, {Shape{1, 1, 5, 6}, Shape{1, 1, 3, 3}}),
              "float32[1,1,3,3]");
  }
}

TEST(ConvShape, StatesWhatDoesNotFit) {
  const Shape x = {1, 3, 8, 8};
  EXPECT_EQ(Infer(MakeConv({}, {}), {x, Shape{4, 2, 3, 3}}),
            "weights [4,2,3,3] take 2 input channels in 1 groups, input 0 "
            "has 3");
  EXPECT_EQ(Infer(MakeConv({}, {}), {x, Shape{4, 3, 9, 9}}),
            "window of extent 9 does not fit into padded size 8");
  EXPECT_EQ(Infer(MakeConv({0, 1}, {}), {x, Shape{4, 3, 3, 3}}),
            "strides holds 0, expected at least 1");
  EXPECT_EQ(Infer(MakeConv({}, {}), {x, Shape{4, 3, 3, 3}, Shape{5}}),
            "bias [5], expected [4]");
}

TEST(ConvTransposeShape, InvertsTheWindowArithmetic) {
  ConvTranspose op;
  op.strides = {2, 2};
  op.pads = {1, 1, 1, 1};
  op.output_padding = {1, 0};
  // 2 * (5 - 1) + 1 + 3 - 2 = 10 and one less without output padding.
  EXPECT_EQ(Infer(op, {Shape{1, 4, 5, 5}, Shape{4, 6, 3, 3}}),
            "float32[1,6,10,9]");
}

TEST(PoolShape, CeilModeAddsAPartialWindow) {
  MaxPool op;
  op.kernel_shape = {3, 3};
  op.strides = {2, 2};
  EXPECT_EQ(Infer(op, {Shape{1, 2, 6, 7}}), "float32[1,2,2,3]");
  op.ceil_mode = 1;
  EXPECT_EQ(Infer(op, {Shape{1, 2, 6, 7}}), "float32[1,2,3,3]");
}

TEST(PoolShape, CeilModeStartsNoWindowInPadding) {
  AveragePool op;
  op.kernel_shape = {1};
  op.strides = {2};
  op.pads = {0, 1};
  op.ceil_mode = 1;
  EXPECT_EQ(Infer(op, {Shape{1, 1, 4}}), "float32[1,1,2]");
}

TEST(PoolShape, IndicesAreIntegersOfTheSameShape) {
  MaxPool op;
  op.kernel_shape = {2};
  EXPECT_EQ(Infer(op, {Shape{1, 1, 4}}, 2), "float32[1,1,3] int64[1,1,3]");
}

TEST(ReshapeShape, WorksOutTheMissingDimension) {
  EXPECT_EQ(Infer(Reshape{}, {Shape{2, 3, 4}, In::Ints({4, -1})}),
            "float32[4,6]");
  EXPECT_EQ(Infer(Reshape{}, {Shape{2, 3, 4}, In::Ints({0, -1})}),
            "float32[2,12]");
  EXPECT_EQ(Infer(Reshape{}, {Shape{kFirstSymbol, 3, 4}, In::Ints({0, -1})}),
            "float32[batch,?]");
}

TEST(ReshapeShape, StatesWhatDoesNotFit) {
  EXPECT_EQ(Infer(Reshape{}, {Shape{2, 3}, In::Ints({4})}),
            "cannot reshape [2,3] to [4]");
  EXPECT_EQ(Infer(Reshape{}, {Shape{2, 3}, In::Ints({-1, -1})}),
            "shape [-1,-1] has more than one -1");
  EXPECT_EQ(Infer(Reshape{}, {Shape{2, 3}, In::Ints({2, 3, 0})}),
            "shape [2,3,0] copies dimension 2 of [2,3]");
}

// The product of the first two dimensions does not fit into 64 bits.
TEST(ReshapeShape, AnEmptyTensorStaysEmpty) {
  const int64_t large = int64_t{1} << 25;
  EXPECT_EQ(Infer(Reshape{}, {Shape{large, large, 0}, In::Ints({4})}),
            "cannot reshape [33554432,33554432,0] to [4]");
}

TEST(SliceShape, ClampsAndStepsAsNumPyDoes) {
  const auto slice = [](int64_t start, int64_t end, int64_t step) {
    return Infer(Slice{}, {Shape{10}, In::Ints({start}), In::Ints({end}),
                           In::Ints({0}), In::Ints({step})});
  };
  EXPECT_EQ(slice(2, 8, 1), "float32[6]");
  EXPECT_EQ(slice(-3, INT64_MAX, 1), "float32[3]");
  EXPECT_EQ(slice(0, 10, 3), "float32[4]");
  EXPECT_EQ(slice(8, 2, 1), "float32[0]");
  EXPECT_EQ(slice(-1, INT64_MIN, -1), "float32[10]");
  EXPECT_EQ(slice(8, 1, -3), "float32[3]");
  EXPECT_EQ(slice(0, 10, INT64_MAX), "float32[1]");
  EXPECT_EQ(slice(9, INT64_MIN, INT64_MIN), "float32[1]");
  EXPECT_EQ(slice(0, 10, 0), "a step is 0");
}

TEST(SplitShape, GivesTheLastPartWhatIsLeft) {
  Split op;
  op.axis = -1;
  EXPECT_EQ(Infer(op, {Shape{2, 7}}, 3),
            "float32[2,3] float32[2,3] float32[2,1]");
  EXPECT_EQ(Infer(op, {Shape{2, 7}, In::Ints({5, 2})}, 2),
            "float32[2,5] float32[2,2]");
  EXPECT_EQ(Infer(op, {Shape{2, 7}, In::Ints({5, 3})}, 2),
            "sizes [5,3] do not split dimension of 7 into 2 outputs");
}

TEST(FlattenShape, FoldsBothSidesOfTheAxis) {
  const Shape x = {2, 3, 4, 5};
  EXPECT_EQ(Infer(Flatten{1}, {x}), "float32[2,60]");
  EXPECT_EQ(Infer(Flatten{0}, {x}), "float32[1,120]");
  EXPECT_EQ(Infer(Flatten{4}, {x}), "float32[120,1]");
  EXPECT_EQ(Infer(Flatten{-1}, {x}), "float32[24,5]");
  EXPECT_EQ(Infer(Flatten{5}, {x}), "axis 5 is out of range for rank 4");
}

TEST(ConcatShape, AddsAlongTheAxisAlone) {
  EXPECT_EQ(Infer(Concat{1}, {Shape{2, 3}, Shape{2, 4}}), "float32[2,7]");
  EXPECT_EQ(Infer(Concat{0}, {Shape{2, 3}, Shape{2, 4}}),
            "input 1 [2,4] does not join [2,3] along axis 0");
}

TEST(SqueezeShape, DropsOnesOnly) {
  EXPECT_EQ(Infer(Squeeze{}, {Shape{1, 3, 1}}), "float32[3]");
  EXPECT_EQ(Infer(Squeeze{}, {Shape{1, 3, 1}, In::Ints({-1})}), "float32[1,3]");
  EXPECT_EQ(Infer(Squeeze{}, {Shape{1, 3, 1}, In::Ints({1})}),
            "cannot drop dimension 1 of [1,3,1]: it is not 1");
}

TEST(MatMulShape, FollowsNumPy) {
  const auto product = [](Shape a, Shape b) {
    return Infer(MatMul{}, {std::move(a), std::move(b)});
  };
  EXPECT_EQ(product({2, 3}, {3, 4}), "float32[2,4]");
  EXPECT_EQ(product({3}, {3}), "float32[]");
  EXPECT_EQ(product({3}, {5, 3, 4}), "float32[5,4]");
  EXPECT_EQ(product({2, 3}, {3}), "float32[2]");
  EXPECT_EQ(product({7, 1, 2, 3}, {5, 3, 4}), "float32[7,5,2,4]");
  EXPECT_NE(product({2, 3}, {4, 5}).substr(0, 7), "float32");
}

TEST(ReduceShape, KeepsOrDropsAxes) {
  Reduce op;
  EXPECT_EQ(Infer(op, {Shape{2, 3}, In::Ints({1})}), "float32[2,1]");
  op.keepdims = 0;
  EXPECT_EQ(Infer(op, {Shape{2, 3}, In::Ints({-2})}), "float32[3]");
  EXPECT_EQ(Infer(op, {Shape{2, 3}}), "float32[]");
}

}  // namespace
}  // namespace stint
