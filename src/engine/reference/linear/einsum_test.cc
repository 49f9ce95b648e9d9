#include <gtest/gtest.h>

#include "engine/testing/run_op.h"

namespace stint {
namespace {

TEST(Einsum, ImplicitOutputIsAlphabetical) {
  const auto y =
      RunReference(Einsum{"ba"}, {Filled<float>({2, 3}, {1, 2, 3, 4, 5, 6})});
  ASSERT_TRUE(y.ok()) << y.status().message();
  EXPECT_EQ((*y)[0].shape(), (Shape{3, 2}));
  EXPECT_EQ(Elements<float>((*y)[0]), (std::vector<float>{1, 4, 2, 5, 3, 6}));
}

TEST(Einsum, EllipsisBroadcasts) {
  const auto y = RunReference(
      Einsum{"...i,...i->..."},
      {Filled<float>({2, 2}, {1, 2, 3, 4}), Filled<float>({1, 2}, {10, 1})});
  ASSERT_TRUE(y.ok()) << y.status().message();
  EXPECT_EQ(Elements<float>((*y)[0]), (std::vector<float>{12, 34}));
}

TEST(Einsum, RepeatedLabelTakesTheDiagonal) {
  const auto y =
      RunReference(Einsum{"ii"}, {Filled<float>({2, 2}, {1, 2, 3, 4})});
  ASSERT_TRUE(y.ok()) << y.status().message();
  EXPECT_EQ(Elements<float>((*y)[0]), std::vector<float>{5});
}

TEST(Einsum, RejectsWhatItCannotRead) {
  const Tensor x = Filled<float>({2, 2}, {1, 2, 3, 4});
  for (const char* equation : {"i", "ij,jk", "ij->k", "ij->ii", "i.j", "i,"}) {
    EXPECT_EQ(RunReference(Einsum{equation}, {x}).status().code(),
              StatusCode::kInvalidArgument)
        << equation;
  }
}

TEST(NegativeLogLikelihoodLoss, RejectsTargetThatIsNoClass) {
  const auto y = RunReference(
      NegativeLogLikelihoodLoss{},
      {Filled<float>({1, 2}, {-1, -2}), Filled<int64_t>({1}, {2})});
  EXPECT_EQ(y.status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace stint
