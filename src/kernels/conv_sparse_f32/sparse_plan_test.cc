#include "kernels/conv_sparse_f32/sparse_plan.h"

#include <gtest/gtest.h>

#include "core/base/checked_math.h"
#include "kernels/testing/bench_layers.h"

namespace stint {
namespace {

constexpr int64_t kBlock = 16;

TEST(SparsePlan, GivesEveryThreadABandOrSharesThem) {
  for (const ConvF32Shape& s :
       {BenchLayer(64, 64, 56, 3, 1), BenchLayer(512, 512, 4, 3, 1),
        BenchLayer(256, 64, 14, 1, 1), BenchLayer(3, 16, 32, 3, 1),
        BenchLayer(64, 64, 224, 3, 1)}) {
    for (SparseGather gather : kSparseGathers) {
      for (int threads : {1, 2, 3, 4, 7, 61, 150}) {
        const SparsePlan p = MakeSparsePlan(kBlock, s, gather, threads);
        EXPECT_TRUE(p.shared || p.bands >= threads)
            << s.in_h << " " << SparseGatherName(gather) << " " << threads;
        EXPECT_EQ(p.bands, CeilDiv(s.out_h, p.band));
      }
    }
  }
}

TEST(SparsePlan, SharesNothingWhereImagesAreEnough) {
  ConvF32Shape s = BenchLayer(512, 512, 4, 3, 1);
  EXPECT_TRUE(MakeSparsePlan(kBlock, s, SparseGather::kBand, 2).shared);
  s.batch = 2;
  EXPECT_FALSE(MakeSparsePlan(kBlock, s, SparseGather::kBand, 2).shared);
}

TEST(SparsePlan, TakesColumnsByDefaultOnlyWhereTheySaveVectors) {
  const auto gather = [](int64_t size, int64_t kernel) {
    return DefaultSparseGather(kBlock, BenchLayer(64, 64, size, kernel, 1));
  };
  EXPECT_EQ(gather(4, 3), SparseGather::kColumns);
  EXPECT_EQ(gather(8, 3), SparseGather::kBand);
  EXPECT_EQ(gather(4, 1), SparseGather::kBand);
  EXPECT_EQ(gather(56, 3), SparseGather::kBand);
}

TEST(SparsePlan, TakesPlanesForColumnsOfAPointAndOfLongRows) {
  const auto gather = [](const ConvF32Shape& s) {
    return MakeSparsePlan(kBlock, s, SparseGather::kColumns, 1).gather;
  };
  EXPECT_EQ(gather(BenchLayer(64, 64, 8, 3, 2)), SparseGather::kColumns);
  EXPECT_EQ(gather(BenchLayer(64, 64, 8, 1, 2)), SparseGather::kBand);
  ConvF32Shape sound = BenchLayer(64, 64, 1, 3, 1);
  sound.in_w = sound.out_w = 1 << 20;
  EXPECT_EQ(gather(sound), SparseGather::kBand);
}

TEST(SparsePlan, PlacesOfColumnsAreACacheLineOrMoreApart) {
  const ConvF32Shape s = BenchLayer(8, 8, 5, 3, 1);
  const SparsePlan p = MakeSparsePlan(kBlock, s, SparseGather::kColumns, 1);
  const auto offsets = SparsePlaceOffsets(p, s);
  ASSERT_EQ(offsets.size(), 72u);
  for (size_t i = 0; i < offsets.size(); ++i) {
    EXPECT_EQ(offsets[i], static_cast<int64_t>(i) * p.column);
  }
  EXPECT_EQ(p.column % 16, 0);
  EXPECT_GE(p.column, 25);
}

}  // namespace
}  // namespace stint
