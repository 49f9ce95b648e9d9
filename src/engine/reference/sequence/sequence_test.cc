#include <gtest/gtest.h>

#include <cmath>

#include "engine/testing/run_op.h"

namespace stint {
namespace {

Value PairOf(float a, float b) {
  return Value::Sequence(
      {Tensor::Vector<float>({a}), Tensor::Vector<float>({b})});
}

TEST(Sequence, InsertsAtEveryPositionThatThereIs) {
  const auto insert = [](int64_t at) {
    return RunOp(SequenceInsert{}, {PairOf(1, 2), Tensor::Vector<float>({9}),
                                    Tensor::Scalar<int64_t>(at)});
  };
  const auto first = [](const Result<std::vector<Value>>& y, size_t i) {
    return Elements<float>(y.value()[0].elements()[i])[0];
  };
  EXPECT_EQ(first(insert(2), 2), 9);
  EXPECT_EQ(first(insert(-2), 0), 9);
  EXPECT_FALSE(insert(3).ok());
  EXPECT_FALSE(insert(-3).ok());
}

TEST(Sequence, OwnsItsElements) {
  std::vector<float> buffer = {1};
  const Tensor borrowed = Tensor::Borrow(DType::kFloat32, {1}, buffer.data());
  const auto y = RunOp(SequenceConstruct{}, {borrowed}).value();
  buffer[0] = 7;
  EXPECT_EQ(Elements<float>(y[0].elements()[0])[0], 1);
}

TEST(Sequence, RejectsReadingFromAnEmptyOne) {
  const Value empty = Value::Sequence({});
  EXPECT_FALSE(RunOp(SequenceAt{}, {empty, Tensor::Scalar<int64_t>(0)}).ok());
  EXPECT_FALSE(RunOp(SequenceErase{}, {empty}).ok());
  EXPECT_FALSE(RunOp(ConcatFromSequence{}, {empty}).ok());
}

TEST(Sequence, RejectsATensorInItsPlace) {
  EXPECT_FALSE(RunOp(SequenceLength{}, {Tensor::Vector<float>({1})}).ok());
  EXPECT_FALSE(RunOp(TopK{}, {PairOf(1, 2), Tensor::Scalar<int64_t>(1)}).ok());
}

TEST(Sequence, RejectsJoiningElementsThatDiffer) {
  const Value mixed =
      Value::Sequence({Tensor::Vector<float>({1}), Filled<float>({1, 1}, {1})});
  ConcatFromSequence op;
  EXPECT_FALSE(RunOp(op, {mixed}).ok());
  op.axis = 1;
  op.new_axis = 1;
  EXPECT_FALSE(RunOp(op, {mixed}).ok());
}

TEST(SplitToSequence, RejectsSizesThatDoNotAddUp) {
  const Tensor x = Tensor::Vector<float>({1, 2, 3});
  const auto split = [&](std::vector<int64_t> sizes) {
    return RunOp(SplitToSequence{}, {x, Tensor::Vector(sizes)}).ok();
  };
  EXPECT_TRUE(split({1, 2}));
  EXPECT_FALSE(split({1, 1}));
  EXPECT_FALSE(split({-1, 4}));
  EXPECT_FALSE(split({INT64_MAX, INT64_MAX}));
  EXPECT_FALSE(RunOp(SplitToSequence{}, {x, Tensor::Scalar<int64_t>(0)}).ok());
}

TEST(Optional, RejectsTakingNothing) {
  const Value nothing = Value::Optional(nullptr);
  EXPECT_FALSE(RunOp(OptionalGetElement{}, {nothing}).ok());
  const auto has = RunOp(OptionalHasElement{}, {nothing}).value();
  EXPECT_FALSE(*has[0].tensor().data<bool>());
}

TEST(StringNormalizer, ChangesCaseBeyondAscii) {
  StringNormalizer op;
  op.case_change_action = "UPPER";
  op.stopwords = {"Ä"};
  const auto y =
      RunOp(op, {Tensor::Vector<std::string>({"ä", "é", "\xff"})}).value();
  EXPECT_EQ(Elements<std::string>(y[0]),
            (std::vector<std::string>{"É", "\xff"}));
}

TEST(StringSplit, KeepsWhatIsLeftAfterTheLastSplit) {
  StringSplit op;
  op.maxsplit = 1;
  const auto y =
      RunOp(op, {Tensor::Vector<std::string>({" a  b c ", ""})}, 2).value();
  EXPECT_EQ(Elements<std::string>(y[0]),
            (std::vector<std::string>{"a", "b c ", "", ""}));
  EXPECT_EQ(Elements<int64_t>(y[1]), (std::vector<int64_t>{2, 0}));
}

TEST(TfIdfVectorizer, RejectsAPoolThatCountsDoNotDivide) {
  TfIdfVectorizer op;
  op.pool_int64s = {2, 3, 5};
  op.ngram_counts = {0, 2};
  op.ngram_indexes = {0, 1, 2};
  const Tensor x = Tensor::Vector<int64_t>({2, 3});
  EXPECT_FALSE(RunOp(op, {x}).ok());
  op.pool_int64s.push_back(4);
  EXPECT_TRUE(RunOp(op, {x}).ok());
  op.ngram_indexes[0] = -1;
  EXPECT_FALSE(RunOp(op, {x}).ok());
}

TEST(TfIdfVectorizer, EndsWithMoreSkipsThanTokens) {
  TfIdfVectorizer op;
  op.pool_int64s = {2, 3};
  op.ngram_counts = {0, 0};
  op.ngram_indexes = {0};
  op.min_gram_length = op.max_gram_length = 2;
  op.max_skip_count = INT64_MAX - 1;
  const auto y = RunOp(op, {Tensor::Vector<int64_t>({2, 0, 3})}).value();
  EXPECT_EQ(Elements<float>(y[0]), std::vector<float>{1});
}

TEST(DFT, GoesBackToTheSignalAtAnyLength) {
  for (int64_t n : {1, 2, 7, 12, 30}) {
    std::vector<float> signal(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i) signal[i] = static_cast<float>(i * i % 5);
    DFT forward;
    forward.onesided = 1;
    const auto half = RunOp(forward, {Filled<float>({1, n, 1}, signal)});
    DFT back;
    back.onesided = back.inverse = 1;
    const auto y = RunOp(back, {half.value()[0], Tensor::Scalar<int64_t>(n)});
    const auto values = Elements<float>(y.value()[0]);
    for (int64_t i = 0; i < n; ++i) EXPECT_NEAR(values[i], signal[i], 1e-5);
  }
}

TEST(DFT, RejectsLengthsAndAxesOutOfRange) {
  const Tensor x = Filled<float>({1, 2, 1}, {1, 2});
  const auto run = [&](int64_t length, int64_t axis) {
    return RunOp(DFT{}, {x, Tensor::Scalar(length), Tensor::Scalar(axis)}).ok();
  };
  EXPECT_TRUE(run(4, 1));
  EXPECT_FALSE(run(0, 1));
  EXPECT_FALSE(run(INT64_MAX, 1));
  EXPECT_FALSE(run(4, 2));
}

TEST(Random, FollowsFromTheSeed) {
  RandomUniform op;
  op.shape = {1000};
  op.low = -1;
  op.seed = 3;
  const auto a = Elements<float>(RunOp(op, {}).value()[0]);
  EXPECT_EQ(a, Elements<float>(RunOp(op, {}).value()[0]));
  op.seed = 4;
  EXPECT_NE(a, Elements<float>(RunOp(op, {}).value()[0]));
  for (float value : a) EXPECT_LT(std::fabs(value), 1.0001f);
}

TEST(Multinomial, ChoosesByProbability) {
  Multinomial op;
  op.sample_size = 4000;
  const Tensor x = Filled<float>({1, 2}, {std::log(1.0f), std::log(3.0f)});
  const auto drawn = Elements<int32_t>(RunOp(op, {x}).value()[0]);
  double ones = 0;
  for (int32_t value : drawn) ones += value;
  EXPECT_NEAR(ones / 4000, 0.75, 0.03);
}

TEST(Ops, RejectInputsThatAreMissing) {
  for (const char* name :
       {"Resize", "TopK", "ScatterND", "GridSample", "DFT", "StringConcat",
        "SequenceAt", "NonZero", "Det", "Col2Im", "MelWeightMatrix"}) {
    EXPECT_FALSE(RunOp(FindOp(name)->Make(), {}).ok()) << name;
  }
}

}  // namespace
}  // namespace stint
