#include "engine/opencl/strided.h"

#include <gtest/gtest.h>

namespace stint {
namespace {

TEST(MergeForKernels, JoinsNeighborsThatAllOperandsPassAlike) {
  const Shape dims = {2, 3, 4, 5};
  const auto merged = MergeForKernels(
      dims, {StridesOf(dims), BroadcastStrides(dims, {3, 1, 1})});
  ASSERT_TRUE(merged.ok());
  EXPECT_EQ(merged->rank, 3);
  EXPECT_EQ(merged->dims, (Int8{2, 3, 20, 1, 1, 1, 1, 1}));
  EXPECT_EQ(merged->steps[0], (Int8{60, 20, 1}));
  EXPECT_EQ(merged->steps[1], (Int8{0, 1, 0}));
}

TEST(MergeForKernels, ContiguousOperandsBecomeOneDimension) {
  const Shape dims = {2, 1, 4, 5};
  const auto merged = MergeForKernels(dims, {StridesOf(dims), StridesOf(dims)});
  ASSERT_TRUE(merged.ok());
  EXPECT_EQ(merged->rank, 1);
  EXPECT_EQ(merged->dims[0], 40);
}

TEST(MergeForKernels, ScalarsHaveOneDimensionOfOneElement) {
  const auto merged = MergeForKernels({}, {{}});
  ASSERT_TRUE(merged.ok());
  EXPECT_EQ(merged->rank, 1);
  EXPECT_EQ(merged->dims[0], 1);
}

TEST(MergeForKernels, RefusesWhatKernelsCannotCount) {
  EXPECT_EQ(MergeForKernels({1 << 16, 1 << 16}, {{1 << 16, 1}}).status().code(),
            StatusCode::kUnsupported);
  const Shape nine(9, 2);
  std::vector<int64_t> apart;  // no two are neighbors
  for (int64_t d = 9; d > 0; --d) apart.push_back(d % 2 == 0 ? 0 : d);
  EXPECT_EQ(MergeForKernels(nine, {apart}).status().code(),
            StatusCode::kUnsupported);
}

}  // namespace
}  // namespace stint
