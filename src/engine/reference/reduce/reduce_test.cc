#include <gtest/gtest.h>

#include "engine/testing/run_op.h"

namespace stint {
namespace {

TEST(Reduce, SumsOverTheGivenAxes) {
  const Tensor x = Filled<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  const auto y = RunReference(Reduce{ReduceKind::kSum, 0, 0},
                              {x, Filled<int64_t>({1}, {1})});
  ASSERT_TRUE(y.ok());
  EXPECT_EQ((*y)[0].shape(), (Shape{2}));
  EXPECT_EQ((*y)[0].data<float>()[1], 15.0f);
}

// As many steps as the sizes before the zero would take all memory.
TEST(Reduce, OfHugeAndEmptyDimensionsTakesNoMemory) {
  const Shape shape = {2, int64_t{1} << 31, 0};
  const Tensor x = Tensor::Allocate(DType::kFloat32, shape).value();
  Reduce keep{ReduceKind::kSum, 1, 1};
  const auto y = RunOp(keep, {Value(x), std::nullopt});
  ASSERT_TRUE(y.ok()) << y.status().message();
  EXPECT_EQ((*y)[0].tensor().shape(), shape);
}

}  // namespace
}  // namespace stint
