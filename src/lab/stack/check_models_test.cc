#include "lab/stack/check_models.h"

#include <gtest/gtest.h>

namespace stint {
namespace {

TEST(IsNearChance, AllowsThreeStandardErrorsAboveGuessing) {
  // 10 classes, 100 rows: 0.1 and 3 times 0.03.
  EXPECT_TRUE(IsNearChance(0, 100, 10));
  EXPECT_TRUE(IsNearChance(19, 100, 10));
  EXPECT_FALSE(IsNearChance(20, 100, 10));
  // 1000 classes, 200 rows: 0.001 and 3 times 0.0022.
  EXPECT_TRUE(IsNearChance(1, 200, 1000));
  EXPECT_FALSE(IsNearChance(2, 200, 1000));
}

TEST(IsNearChance, NothingIsKnownWithoutRowsOrClasses) {
  EXPECT_FALSE(IsNearChance(0, 0, 10));
  EXPECT_FALSE(IsNearChance(0, 100, 0));
  EXPECT_FALSE(IsNearChance(0, 100, 1));
}

TEST(IsBelow, AllowsThreeStandardErrorsBelowWhatIsPublished) {
  // 57.5 % of 200 rows is 115, its standard error 7.
  EXPECT_FALSE(IsBelow(95, 200, 0.575));
  EXPECT_TRUE(IsBelow(93, 200, 0.575));
  EXPECT_FALSE(IsBelow(200, 200, 0.575));
  EXPECT_TRUE(IsBelow(199, 200, 1));
  EXPECT_FALSE(IsBelow(0, 0, 0.575));
}

}  // namespace
}  // namespace stint
