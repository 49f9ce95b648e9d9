#include <gtest/gtest.h>

#include "engine/testing/run_op.h"

namespace stint {
namespace {

// Queries of zeros attend evenly to whatever is not masked.
Tensor Zeros(Shape shape) {
  return Tensor::Allocate(DType::kFloat32, std::move(shape)).value();
}

TEST(Attention, RowMaskedEntirelyIsZero) {
  const auto y = RunReference(
      Attention{}, {Zeros({1, 1, 2, 1}), Zeros({1, 1, 2, 1}),
                    Filled<float>({1, 1, 2, 1}, {2, 4}),
                    Filled<bool>({2, 2}, {true, true, false, false})});
  ASSERT_TRUE(y.ok()) << y.status().message();
  EXPECT_EQ(Elements<float>((*y)[0]), (std::vector<float>{3, 0}));
}

TEST(Attention, WindowHidesKeysOnBothSides) {
  Attention op;
  op.left_window_size = 1;
  op.right_window_size = 0;
  const auto y = RunReference(op, {Zeros({1, 1, 3, 1}), Zeros({1, 1, 3, 1}),
                                   Filled<float>({1, 1, 3, 1}, {2, 4, 8})});
  ASSERT_TRUE(y.ok()) << y.status().message();
  EXPECT_EQ(Elements<float>((*y)[0]), (std::vector<float>{2, 3, 6}));
}

TEST(Attention, ShortMaskHidesTheRest) {
  const auto y =
      RunReference(Attention{}, {Zeros({1, 1, 1, 1}), Zeros({1, 1, 3, 1}),
                                 Filled<float>({1, 1, 3, 1}, {2, 4, 9}),
                                 Filled<float>({1, 2}, {0, 0})});
  ASSERT_TRUE(y.ok()) << y.status().message();
  EXPECT_EQ(Elements<float>((*y)[0]), std::vector<float>{3});
}

TEST(Attention, RejectsHeadsThatDoNotDivide) {
  Attention op;
  op.q_num_heads = 3;
  op.kv_num_heads = 2;
  const auto y =
      RunReference(op, {Zeros({1, 2, 6}), Zeros({1, 2, 4}), Zeros({1, 2, 4})});
  EXPECT_EQ(y.status().code(), StatusCode::kInvalidArgument);
}

TEST(RotaryEmbedding, RejectsPositionOutsideOfTheCache) {
  const auto y = RunReference(
      RotaryEmbedding{}, {Zeros({1, 1, 1, 2}), Zeros({4, 1}), Zeros({4, 1}),
                          Filled<int64_t>({1, 1}, {4})});
  EXPECT_EQ(y.status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace stint
