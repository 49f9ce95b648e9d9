#include <gtest/gtest.h>

#include <cmath>

#include "engine/testing/run_op.h"

namespace stint {
namespace {

TEST(QuantizeLinear, RoundsHalfToEven) {
  const auto y = RunReference(
      QuantizeLinear{}, {Filled<float>({5}, {0.5f, 1.5f, 2.5f, -0.5f, 3.5f}),
                         Tensor::Scalar(1.0f), Tensor::Scalar<uint8_t>(1)});
  ASSERT_TRUE(y.ok()) << y.status().message();
  EXPECT_EQ(Elements<uint8_t>((*y)[0]), (std::vector<uint8_t>{1, 3, 3, 1, 5}));
}

TEST(QuantizeLinear, SaturatesInfinityAndPutsNanAtTheLowEnd) {
  const auto y = RunReference(
      QuantizeLinear{}, {Filled<float>({4}, {-1e30f, INFINITY, NAN, 118.0f}),
                         Tensor::Scalar(1.0f), Tensor::Scalar<int8_t>(10)});
  ASSERT_TRUE(y.ok()) << y.status().message();
  EXPECT_EQ(Elements<int8_t>((*y)[0]),
            (std::vector<int8_t>{-128, 127, -128, 127}));
}

TEST(QuantizeLinear, LastBlockMayBeShort) {
  QuantizeLinear op;
  op.block_size = 2;
  const auto y = RunReference(op, {Filled<float>({1, 5}, {2, 4, 8, 16, 100}),
                                   Filled<float>({1, 3}, {1.0f, 4.0f, 10.0f})});
  ASSERT_TRUE(y.ok()) << y.status().message();
  EXPECT_EQ(Elements<uint8_t>((*y)[0]), (std::vector<uint8_t>{2, 4, 2, 4, 10}));
}

TEST(QuantizeLinear, RejectsScalesThatDoNotFitTheAxis) {
  const auto y = RunReference(
      QuantizeLinear{},
      {Filled<float>({2, 3}, {1, 2, 3, 4, 5, 6}), Filled<float>({2}, {1, 2})});
  EXPECT_EQ(y.status().code(), StatusCode::kInvalidArgument);
}

TEST(DequantizeLinear, HasOneScalePerSliceOfTheAxis) {
  DequantizeLinear op;
  op.axis = 0;
  const auto y = RunReference(
      op, {Filled<int8_t>({2, 2}, {1, 2, 3, 4}), Filled<float>({2}, {0.5f, 2}),
           Filled<int8_t>({2}, {1, -1})});
  ASSERT_TRUE(y.ok()) << y.status().message();
  EXPECT_EQ(Elements<float>((*y)[0]), (std::vector<float>{0, 0.5f, 8, 10}));
}

TEST(MatMulInteger, SubtractsAZeroPointPerRowAndPerColumn) {
  const auto y =
      RunReference(MatMulInteger{}, {Filled<uint8_t>({2, 2}, {1, 2, 3, 4}),
                                     Filled<uint8_t>({2, 2}, {5, 6, 7, 8}),
                                     Filled<uint8_t>({2}, {1, 3}),
                                     Filled<uint8_t>({2}, {5, 8})});
  ASSERT_TRUE(y.ok()) << y.status().message();
  // [[0, 1], [0, 1]] x [[0, -2], [2, 0]]
  EXPECT_EQ(Elements<int32_t>((*y)[0]), (std::vector<int32_t>{2, 0, 2, 0}));
}

TEST(QLinearMatMul, RoundsBeforeItAddsTheZeroPoint) {
  const auto one = Tensor::Scalar(1.0f);
  const auto zero = Tensor::Scalar<uint8_t>(0);
  const auto y = RunReference(
      QLinearMatMul{},
      {Filled<uint8_t>({1, 1}, {5}), one, zero, Filled<uint8_t>({1, 1}, {1}),
       one, zero, Tensor::Scalar(2.0f), Tensor::Scalar<uint8_t>(1)});
  ASSERT_TRUE(y.ok()) << y.status().message();
  EXPECT_EQ(Elements<uint8_t>((*y)[0]), std::vector<uint8_t>{3});
}

}  // namespace
}  // namespace stint
