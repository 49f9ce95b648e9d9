#include "engine/profile/time_codes.h"

#include <gtest/gtest.h>

#include "core/platform/thread_pool.h"

namespace stint {
namespace {

TEST(TimeCodes, TimesAMatrixAtAllBitsAndRows) {
  ThreadPool pool(2);
  const std::vector<int64_t> rows = {1, 8};
  const auto matrix = TimeCodedMatrix(DetectIsa(), 48, 192, rows, &pool);
  ASSERT_TRUE(matrix.ok()) << matrix.status().message();
  EXPECT_EQ(matrix->k, 48);
  EXPECT_EQ(matrix->n, 192);
  for (const auto& points : matrix->points) {
    ASSERT_EQ(points.size(), 2u);
    EXPECT_EQ(points[0].rows, 1);
    EXPECT_EQ(points[1].rows, 8);
    EXPECT_GT(points[0].ns, 0);
    EXPECT_GE(points[1].ns, points[0].ns);
  }
  CodeCosts costs;
  costs.Add(*matrix);
  const auto again = CodeCosts::Parse(costs.ToText());
  ASSERT_TRUE(again.ok()) << again.status().message();
  EXPECT_EQ(again->ToText(), costs.ToText());
}

}  // namespace
}  // namespace stint
