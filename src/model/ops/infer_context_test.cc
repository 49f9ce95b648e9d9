#include "model/ops/infer_context.h"

#include <gtest/gtest.h>

#include "model/ops/op.h"
#include "model/ops/signature.h"

namespace stint {
namespace {

TEST(BroadcastShapes, FollowsNumPy) {
  EXPECT_EQ(BroadcastShapes({2, 1, 4}, {3, 1}).value(), (Shape{2, 3, 4}));
  EXPECT_EQ(BroadcastShapes({}, {5}).value(), Shape{5});
  EXPECT_EQ(BroadcastShapes({1}, {0}).value(), Shape{0});
  EXPECT_EQ(BroadcastShapes({2, 3}, {2, 4}).status().message(),
            "shapes [2,3] and [2,4] do not broadcast");
}

TEST(BroadcastShapes, UnknownSizesGiveWayToKnownOnes) {
  EXPECT_EQ(BroadcastShapes({kUnknownDim}, {4}).value(), Shape{4});
  EXPECT_EQ(BroadcastShapes({kUnknownDim}, {1}).value(), Shape{kUnknownDim});
  EXPECT_EQ(BroadcastShapes({kFirstSymbol}, {kFirstSymbol}).value(),
            Shape{kFirstSymbol});
  EXPECT_EQ(BroadcastShapes({kFirstSymbol}, {kFirstSymbol - 1}).value(),
            Shape{kUnknownDim});
}

TEST(NormalizeAxis, CountsFromTheEnd) {
  EXPECT_EQ(NormalizeAxis(-1, 4).value(), 3);
  EXPECT_EQ(NormalizeAxis(0, 4).value(), 0);
  EXPECT_EQ(NormalizeAxis(4, 4).status().message(),
            "axis 4 is out of range for rank 4");
  EXPECT_FALSE(NormalizeAxis(INT64_MIN, 4).ok());
  EXPECT_FALSE(NormalizeAxis(0, 0).ok());
}

TEST(NormalizeAxes, RefusesDuplicatesUnderTwoNames) {
  EXPECT_EQ(NormalizeAxes({1, -3}, 4).status().message(),
            "axis 1 is given twice");
}

TEST(ProductOf, IsUnknownWhenADimensionIs) {
  const Shape known = {2, 3};
  const Shape open = {2, kUnknownDim};
  const Shape empty = {int64_t{1} << 40, int64_t{1} << 40, 0};
  const auto product = [](const Shape& s) {
    return ProductOf(s.data(), s.data() + s.size());
  };
  EXPECT_EQ(product(known), 6);
  EXPECT_EQ(product(open), kUnknownDim);
  EXPECT_EQ(product(empty), 0);
  EXPECT_EQ(product({}), 1);
}

TEST(CheckDims, RefusesWhatNoMemoryHolds) {
  EXPECT_TRUE(CheckDims({kUnknownDim, 4, kMaxDim}).ok());
  EXPECT_FALSE(CheckDims({kMaxDim + 1}).ok());
  EXPECT_EQ(CheckDims({kMaxDim, kMaxDim}).code(),
            StatusCode::kResourceExhausted);
}

TEST(OpEntries, EveryNameFindsItsOp) {
  for (const OpEntry& entry : OpEntries()) {
    ASSERT_NE(FindOp(entry.name), nullptr) << entry.name;
    EXPECT_EQ(OpName(FindOp(entry.name)->Make()), entry.name);
  }
  EXPECT_EQ(FindOp("NoSuchOp"), nullptr);
}

// No op may look at inputs it was not given.
TEST(Signature, EveryOpSurvivesHavingNoInputs) {
  for (const OpEntry& entry : OpEntries()) {
    InferContext ctx({}, 1);
    const Status status = InferTypes(entry.Make(), ctx);
    EXPECT_TRUE(status.ok() || !status.message().empty()) << entry.name;
  }
}

TEST(Signature, EveryOpSurvivesInputsOfEveryTypeAndRank) {
  for (const OpEntry& entry : OpEntries()) {
    for (int dtype = 0; dtype <= static_cast<int>(DType::kComplex128);
         ++dtype) {
      for (const Shape& shape : {Shape{}, Shape{0}, Shape{2}, Shape{2, 3},
                                 Shape{1, 1, kMaxDim}, Shape{1, 2, 3, 4}}) {
        const ValueType type = ValueType::Of(static_cast<DType>(dtype), shape);
        for (size_t inputs : {1, 2, 3, 6}) {
          InferContext ctx(
              std::vector<InferContext::Input>(inputs, {&type, nullptr}), 1);
          const Status status = InferTypes(entry.Make(), ctx);
          EXPECT_TRUE(status.ok() || !status.message().empty()) << entry.name;
        }
      }
    }
  }
}

TEST(Signature, MissingInputIsNamed) {
  const ValueType type = ValueType::Of(DType::kFloat32, {2});
  const InferContext ctx({{}, {&type, nullptr}}, 1);
  EXPECT_EQ(CheckSignature(Binary{BinaryKind::kAdd}, ctx).message(),
            "input 0 is missing");
}

TEST(Signature, SequenceIsNotATensor) {
  const ValueType type = ValueType::SequenceOf(DType::kFloat32);
  const InferContext ctx({{&type, nullptr}}, 1);
  EXPECT_EQ(CheckSignature(Unary{UnaryKind::kRelu}, ctx).message(),
            "input 0 is sequence(float32[...]), which this operator does not "
            "take");
}

}  // namespace
}  // namespace stint
