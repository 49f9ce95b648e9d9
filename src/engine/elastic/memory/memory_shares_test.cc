#include "engine/elastic/memory/memory_shares.h"

#include <gtest/gtest.h>

#include <list>

namespace stint {
namespace {

class MemorySharesTest : public testing::Test {
 protected:
  MemoryShare* Add(int64_t least, int64_t most) {
    MemoryShare& share = shares_.emplace_back();
    share.least_bytes = least;
    share.most_bytes = most;
    share.release = [this] { ++released_; };
    memory_.Join(&share);
    return &share;
  }

  MemoryShares memory_{1000};
  std::list<MemoryShare> shares_;
  int released_ = 0;
};

TEST_F(MemorySharesTest, OneAloneMayTakeAllThatIsLeft) {
  MemoryShare* a = Add(50, 400);
  a->fixed_bytes = 300;
  EXPECT_EQ(memory_.BytesOf(a), 700);
}

TEST_F(MemorySharesTest, SharesGoByWhatEachCouldUse) {
  MemoryShare* a = Add(100, 400);
  MemoryShare* b = Add(100, 1000);
  a->fixed_bytes = 300;
  b->fixed_bytes = 200;
  // 500 above what both need, by 300 to 900.
  EXPECT_EQ(memory_.BytesOf(a), 100 + 125);
  EXPECT_EQ(memory_.BytesOf(b), 100 + 375);
}

TEST_F(MemorySharesTest, TogetherTheyNeverExceedTheBudget) {
  MemoryShare* a = Add(7, 311);
  MemoryShare* b = Add(130, 131);
  MemoryShare* c = Add(55, 55);
  for (int64_t fixed = 0; fixed < 1200; fixed += 13) {
    b->fixed_bytes = fixed;
    int64_t sum = 0;
    for (const MemoryShare* share : {a, b, c}) {
      EXPECT_GE(memory_.BytesOf(share), 0);
      sum += memory_.BytesOf(share);
    }
    EXPECT_LE(sum, std::max<int64_t>(0, 1000 - fixed)) << fixed;
  }
}

TEST_F(MemorySharesTest, WhoeverJoinsFindsTheOthersWithoutWeights) {
  MemoryShare* a = Add(10, 400);
  a->weight_bytes = 400;
  MemoryShare* b = Add(10, 400);
  EXPECT_EQ(released_, 1);
  EXPECT_EQ(a->weight_bytes, 0);
  EXPECT_TRUE(a->stale);
  EXPECT_FALSE(b->stale);
}

TEST_F(MemorySharesTest, ShapesOfOthersGoAndPlansStay) {
  MemoryShare* a = Add(10, 400);
  MemoryShare* b = Add(10, 400);
  int of_a = 0, of_b = 0;
  a->release_shapes = [&] { ++of_a; };
  b->release_shapes = [&] { ++of_b; };
  a->stale = false;
  a->weight_bytes = 100;
  memory_.ReleaseShapesOfOthers(b);
  EXPECT_EQ(of_a, 1);
  EXPECT_EQ(of_b, 0);
  EXPECT_EQ(a->weight_bytes, 100);
  EXPECT_FALSE(a->stale);
}

TEST_F(MemorySharesTest, TurnsOfOthersAreNoticed) {
  MemoryShare* a = Add(10, 400);
  MemoryShare* b = Add(10, 400);
  EXPECT_FALSE(memory_.TakeTurn(a));
  EXPECT_TRUE(memory_.TakeTurn(a));
  EXPECT_FALSE(memory_.TakeTurn(b));
  EXPECT_FALSE(memory_.TakeTurn(a));
  memory_.Leave(a);
  EXPECT_FALSE(memory_.TakeTurn(a));
}

TEST_F(MemorySharesTest, OnlyThoseAboveTheirShareMakeRoom) {
  MemoryShare* a = Add(10, 400);
  MemoryShare* b = Add(10, 400);
  MemoryShare* c = Add(10, 400);
  a->stale = b->stale = false;
  a->weight_bytes = 320;
  b->weight_bytes = 340;
  c->fixed_bytes = 0;
  EXPECT_EQ(memory_.WeightsOfOthers(c), 660);
  memory_.MakeRoom(c);
  EXPECT_EQ(a->weight_bytes, 320);
  EXPECT_EQ(b->weight_bytes, 0);
  EXPECT_FALSE(a->stale);
  EXPECT_TRUE(b->stale);
}

TEST_F(MemorySharesTest, WhoLeavesLeavesItsShareToTheOthers) {
  MemoryShare* a = Add(10, 400);
  MemoryShare* b = Add(10, 400);
  a->stale = false;
  a->weight_bytes = 100;
  b->fixed_bytes = 900;
  memory_.Leave(b);
  EXPECT_TRUE(a->stale);
  EXPECT_EQ(a->weight_bytes, 100);  // until it plans again
  EXPECT_EQ(memory_.BytesOf(a), 1000);
}

}  // namespace
}  // namespace stint
