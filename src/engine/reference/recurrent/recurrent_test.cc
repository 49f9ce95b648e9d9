#include <gtest/gtest.h>

#include "engine/testing/run_op.h"

namespace stint {
namespace {

// h = x + 2 h, one element, two sequences of three steps.
RNN SumLayer() {
  RNN op;
  op.activations = {"Affine"};
  op.activation_alpha = {1};
  op.activation_beta = {0};
  return op;
}
std::vector<Tensor> SumInputs(const std::vector<int32_t>& lengths) {
  return {Filled<float>({3, 2, 1}, {1, 10, 2, 20, 3, 30}),
          Filled<float>({1, 1, 1}, {1}), Filled<float>({1, 1, 1}, {2}),
          Tensor(), Filled<int32_t>({2}, lengths)};
}

TEST(RNN, StopsAtTheLengthOfEachSequence) {
  const auto y = RunReference(SumLayer(), SumInputs({3, 2}), 2);
  ASSERT_TRUE(y.ok()) << y.status().message();
  EXPECT_EQ(Elements<float>((*y)[0]),
            (std::vector<float>{1, 10, 4, 40, 11, 0}));
  EXPECT_EQ(Elements<float>((*y)[1]), (std::vector<float>{11, 40}));
}

TEST(RNN, ReverseStartsAtTheLastValidStep) {
  RNN op = SumLayer();
  op.direction = "reverse";
  const auto y = RunReference(op, SumInputs({3, 2}), 2);
  ASSERT_TRUE(y.ok()) << y.status().message();
  EXPECT_EQ(Elements<float>((*y)[0]),
            (std::vector<float>{17, 50, 8, 20, 3, 0}));
  EXPECT_EQ(Elements<float>((*y)[1]), (std::vector<float>{17, 50}));
}

TEST(RNN, RejectsSequenceLongerThanTheInput) {
  EXPECT_EQ(RunReference(SumLayer(), SumInputs({3, 4})).status().code(),
            StatusCode::kInvalidArgument);
}

TEST(RNN, ReportsUnknownActivationAsUnsupported) {
  RNN op;
  op.activations = {"Mystery"};
  EXPECT_EQ(RunReference(op, SumInputs({3, 3})).status().code(),
            StatusCode::kUnsupported);
}

}  // namespace
}  // namespace stint
