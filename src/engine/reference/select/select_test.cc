#include <gtest/gtest.h>

#include <cmath>

#include "engine/testing/run_op.h"

namespace stint {
namespace {

using Ints = std::vector<int64_t>;

TEST(TopK, PutsTheLowerIndexFirstAmongEquals) {
  const auto y =
      RunOp(TopK{},
            {Tensor::Vector<float>({2, 5, 5, 1}), Tensor::Vector<int64_t>({3})},
            2)
          .value();
  EXPECT_EQ(Elements<float>(y[0]), (std::vector<float>{5, 5, 2}));
  EXPECT_EQ(Elements<int64_t>(y[1]), (Ints{1, 2, 0}));
}

TEST(TopK, TakesNanForTheLargest) {
  const auto y =
      RunOp(TopK{},
            {Tensor::Vector<float>({1, NAN, 3}), Tensor::Vector<int64_t>({2})},
            2)
          .value();
  EXPECT_EQ(Elements<int64_t>(y[1]), (Ints{1, 2}));
}

TEST(TopK, RejectsMoreThanThereAre) {
  const Tensor x = Tensor::Vector<float>({1, 2});
  for (int64_t k : {int64_t{3}, int64_t{-1}, INT64_MAX}) {
    EXPECT_FALSE(RunOp(TopK{}, {x, Tensor::Vector<int64_t>({k})}, 2).ok()) << k;
  }
}

TEST(Unique, ComparesStringsAndCountsThem) {
  Unique op;
  op.sorted = 0;
  const auto y =
      RunOp(op, {Tensor::Vector<std::string>({"b", "a", "b"})}, 4).value();
  EXPECT_EQ(Elements<std::string>(y[0]), (std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(Elements<int64_t>(y[1]), (Ints{0, 1}));
  EXPECT_EQ(Elements<int64_t>(y[2]), (Ints{0, 1, 0}));
  EXPECT_EQ(Elements<int64_t>(y[3]), (Ints{2, 1}));
}

TEST(Compress, RejectsAConditionBeyondTheAxis) {
  const Tensor x = Tensor::Vector<float>({1, 2});
  const auto condition = [](std::vector<bool> values) {
    return Filled<bool>({static_cast<int64_t>(values.size())}, values);
  };
  EXPECT_TRUE(RunOp(Compress{}, {x, condition({true, false, false})}).ok());
  EXPECT_FALSE(RunOp(Compress{}, {x, condition({true, false, true})}).ok());
}

TEST(NonMaxSuppression, SelectsNothingWithoutALimit) {
  const Tensor boxes = Filled<float>({1, 1, 4}, {0, 0, 1, 1});
  const Tensor scores = Filled<float>({1, 1, 1}, {0.9f});
  const auto y = RunOp(NonMaxSuppression{}, {boxes, scores}).value();
  EXPECT_EQ(y[0].tensor().shape(), (Shape{0, 3}));
}

TEST(Cumulative, WrapsIntegers) {
  const auto y = RunOp(Cumulative{}, {Tensor::Vector<int64_t>({INT64_MAX, 1}),
                                      Tensor::Scalar<int64_t>(0)})
                     .value();
  EXPECT_EQ(Elements<int64_t>(y[0]), (Ints{INT64_MAX, INT64_MIN}));
}

TEST(Cumulative, RejectsAnAxisThatIsNotThere) {
  EXPECT_FALSE(RunOp(Cumulative{},
                     {Tensor::Vector<float>({1}), Tensor::Scalar<int64_t>(1)})
                   .ok());
}

TEST(Scatter, RejectsIndicesOutOfRange) {
  const Tensor data = Tensor::Vector<float>({1, 2});
  const Tensor update = Tensor::Vector<float>({9});
  for (int64_t index : {int64_t{2}, int64_t{-3}, INT64_MIN}) {
    const Tensor indices = Tensor::Vector<int64_t>({index});
    EXPECT_FALSE(RunOp(ScatterElements{}, {data, indices, update}).ok());
    EXPECT_FALSE(
        RunOp(ScatterND{}, {data, indices.Reshaped({1, 1}), update}).ok());
  }
}

TEST(Scatter, RejectsUpdatesOfAnotherType) {
  EXPECT_FALSE(RunOp(ScatterElements{},
                     {Tensor::Vector<float>({1}), Tensor::Vector<int64_t>({0}),
                      Tensor::Vector<double>({1})})
                   .ok());
}

TEST(TensorScatter, WrapsAroundACircularCache) {
  TensorScatter op;
  op.axis = 1;
  op.mode = "circular";
  const Tensor cache = Filled<float>({1, 3}, {1, 2, 3});
  const Tensor update = Filled<float>({1, 2}, {8, 9});
  const auto y =
      RunOp(op, {cache, update, Tensor::Vector<int64_t>({2})}).value();
  EXPECT_EQ(Elements<float>(y[0]), (std::vector<float>{9, 2, 8}));
  op.mode = "linear";
  EXPECT_FALSE(RunOp(op, {cache, update, Tensor::Vector<int64_t>({2})}).ok());
}

TEST(MaxUnpool, RejectsIndicesOutsideOfTheImage) {
  MaxUnpool op;
  op.kernel_shape = {2};
  op.strides = {2};
  const Tensor x = Filled<float>({1, 1, 1}, {5});
  const auto at = [&](int64_t index) {
    return RunOp(op, {x, Filled<int64_t>({1, 1, 1}, {index})});
  };
  EXPECT_EQ(Elements<float>(at(1).value()[0]), (std::vector<float>{0, 5}));
  EXPECT_FALSE(at(2).ok());
}

TEST(ReverseSequence, RejectsLengthsBeyondTheSequence) {
  const Tensor x = Filled<float>({2, 1}, {1, 2});
  EXPECT_TRUE(RunOp(ReverseSequence{}, {x, Tensor::Vector<int64_t>({2})}).ok());
  EXPECT_FALSE(
      RunOp(ReverseSequence{}, {x, Tensor::Vector<int64_t>({3})}).ok());
}

TEST(Trilu, TakesAnyDiagonal) {
  const Tensor x = Filled<float>({1, 2}, {1, 2});
  const auto y = RunOp(Trilu{}, {x, Tensor::Scalar<int64_t>(INT64_MIN)});
  EXPECT_EQ(Elements<float>(y.value()[0]), (std::vector<float>{1, 2}));
}

}  // namespace
}  // namespace stint
