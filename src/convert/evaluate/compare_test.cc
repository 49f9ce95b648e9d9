#include "convert/evaluate/compare.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stint {
namespace {

Result<double> Compare(const std::vector<float>& found,
                       const std::vector<float>& expected) {
  return CompareValues(Tensor::Vector(found), Tensor::Vector(expected),
                       {.relative = 0.01, .absolute = 0.001});
}

TEST(CompareValues, ReportsTheLargestDifference) {
  EXPECT_NEAR(Compare({1, 100}, {1.001f, 100.5f}).value(), 0.5, 1e-6);
  EXPECT_EQ(Compare({1, 2}, {1, 2}).value(), 0);
}

TEST(CompareValues, AllowsAbsolutePlusRelative) {
  EXPECT_TRUE(Compare({0.0009f}, {0}).ok());
  EXPECT_FALSE(Compare({0.0011f}, {0}).ok());
  EXPECT_TRUE(Compare({101}, {100}).ok());
  EXPECT_FALSE(Compare({101.1f}, {100}).ok());
}

TEST(CompareValues, NamesTheWorstElement) {
  const Status status = Compare({1.1f, 5, 3}, {1, 2, 3}).status();
  EXPECT_EQ(status.code(), StatusCode::kMismatch);
  EXPECT_EQ(status.message(), "element 1 is 5.000000, expected 2.000000");
}

TEST(CompareValues, NanAgreesWithNanAlone) {
  EXPECT_TRUE(Compare({NAN}, {NAN}).ok());
  EXPECT_FALSE(Compare({NAN}, {1}).ok());
  EXPECT_FALSE(Compare({1}, {NAN}).ok());
}

TEST(CompareValues, InfinityAgreesWithItsOwnSignAlone) {
  EXPECT_TRUE(Compare({INFINITY}, {INFINITY}).ok());
  EXPECT_FALSE(Compare({INFINITY}, {-INFINITY}).ok());
  EXPECT_FALSE(Compare({1e30f}, {INFINITY}).ok());
  EXPECT_FALSE(Compare({INFINITY}, {1e30f}).ok());
}

TEST(CompareValues, StatesBothTypes) {
  const auto compared =
      CompareValues(Tensor::Vector<float>({1, 2}),
                    Tensor::Vector<int64_t>({1, 2}), Tolerance());
  EXPECT_EQ(compared.status().message(),
            "output is float32[2], expected int64[2]");
}

TEST(CompareValues, StatesBothShapes) {
  EXPECT_EQ(Compare({1, 2}, {1}).status().message(),
            "output is float32[2], expected float32[1]");
}

TEST(CompareValues, IntegersMustBeEqual) {
  const auto compared =
      CompareValues(Tensor::Vector<int64_t>({1000001}),
                    Tensor::Vector<int64_t>({1000000}), Tolerance());
  EXPECT_EQ(compared.status().message(),
            "element 0 is 1000001, expected 1000000");
}

TEST(CompareValues, LargeUnsignedNumbersMustBeEqual) {
  const auto compared =
      CompareValues(Tensor::Vector<uint64_t>({UINT64_MAX}),
                    Tensor::Vector<uint64_t>({UINT64_MAX - 1}), Tolerance());
  EXPECT_FALSE(compared.ok());
}

TEST(CompareValues, StringsMustBeEqual) {
  const auto compared =
      CompareValues(Tensor::Vector<std::string>({"a", "b"}),
                    Tensor::Vector<std::string>({"a", "c"}), Tolerance());
  EXPECT_EQ(compared.status().message(), "element 1 is 'b', expected 'c'");
}

TEST(CompareValues, LooksIntoSequences) {
  const Value one = Value::Sequence({Tensor::Vector<float>({1})});
  const Value other = Value::Sequence({Tensor::Vector<float>({2})});
  const Value longer =
      Value::Sequence({Tensor::Vector<float>({1}), Tensor::Vector<float>({1})});
  EXPECT_TRUE(CompareValues(one, one, Tolerance()).ok());
  EXPECT_FALSE(CompareValues(one, other, Tolerance()).ok());
  EXPECT_EQ(CompareValues(one, longer, Tolerance()).status().message(),
            "output has 1 elements, expected 2");
}

TEST(CompareValues, TensorIsNotASequence) {
  const Value sequence = Value::Sequence({});
  EXPECT_FALSE(
      CompareValues(sequence, Tensor::Vector<float>({1}), Tolerance()).ok());
}

}  // namespace
}  // namespace stint
