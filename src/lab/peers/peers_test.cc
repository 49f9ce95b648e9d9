#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/platform/file.h"
#include "core/platform/temporary_folder.h"
#include "lab/peers/compare_outputs.h"
#include "lab/peers/make_inputs.h"
#include "lab/peers/peer_client.h"
#include "lab/peers/threads_note.h"
#include "model/graph/graph.h"
#include "weights/package/package.h"

namespace stint {
namespace {

// A text model: ids look up a table of five rows, a mask and types do not.
Model TextModel() {
  auto package = std::make_shared<Package>();
  package->graph = std::make_unique<Graph>();
  Graph& graph = *package->graph;
  const int64_t batch = graph.Symbol("batch"), seq = graph.Symbol("sequence");
  const auto type = ValueType::Of(DType::kInt64, {batch, seq});
  const ValueId ids = graph.AddInput("input_ids", type);
  graph.AddInput("attention_mask", type);
  graph.AddInput("token_type_ids", type);
  graph.AddInput("pixels", ValueType::Of(DType::kFloat32, {batch, 3, 8, 8}));
  const ValueId table = graph.AddConstant(
      "table", Tensor::Allocate(DType::kFloat32, {5, 4}).value());
  graph.MarkOutput(graph.Add("gather", Gather{}, {table, ids}));
  return Model(package);
}

std::vector<int64_t> Integers(const NamedValue& value) {
  const Tensor& tensor = value.value.tensor();
  return {tensor.data<int64_t>(), tensor.data<int64_t>() + tensor.size()};
}

TEST(MakeInputs, BindsBatchAndSequence) {
  const auto inputs = MakeInputs(TextModel(), {2, 16}, 1).value();
  EXPECT_EQ(inputs[0].value.tensor().shape(), (Shape{2, 16}));
  EXPECT_EQ(inputs[3].value.tensor().shape(), (Shape{2, 3, 8, 8}));
}

TEST(MakeInputs, ShapesAreAsAsked) {
  InputSizes sizes{2, 16, ParseInputShapes({"pixels=?x3x8x8"}).value()};
  EXPECT_EQ(MakeInputs(TextModel(), sizes, 1).value()[3].value.tensor().shape(),
            (Shape{2, 3, 8, 8}));
  sizes.shapes =
      ParseInputShapes({"input_ids=2x7", "token_type_ids=?x7"}).value();
  const auto inputs = MakeInputs(TextModel(), sizes, 1).value();
  EXPECT_EQ(inputs[0].value.tensor().shape(), (Shape{2, 7}));
  EXPECT_EQ(inputs[1].value.tensor().shape(), (Shape{2, 16}));
  EXPECT_EQ(inputs[2].value.tensor().shape(), (Shape{2, 7}));
}

TEST(MakeInputs, ShapesThatAnInputCannotHaveAreRefused) {
  for (const char* text :
       {"pixels=2x3x9x8", "pixels=2x3x8", "nobody=1", "pixels=5x3x8x8"}) {
    const InputSizes sizes{2, 16, ParseInputShapes({text}).value()};
    EXPECT_EQ(MakeInputs(TextModel(), sizes, 1).status().code(),
              StatusCode::kInvalidArgument)
        << text;
  }
  for (const char* text : {"pixels", "=1x2", "x=", "x=1x", "x=0", "x=1xa"}) {
    EXPECT_FALSE(ParseInputShapes({text}).ok()) << text;
  }
}

TEST(ThreadsNote, SaysWhereMoreCpusWereUsedThanGiven) {
  const Setting two = {{"threads", "2"}};
  EXPECT_EQ(ThreadsNote(two, 19, 10), "");
  EXPECT_EQ(ThreadsNote(two, 22.9, 10), "");
  EXPECT_EQ(ThreadsNote(two, 38, 10), "uses 3.8 CPUs, threads is 2");
  EXPECT_EQ(ThreadsNote(two, 0.01, 0.001), "");  // the loop's
  EXPECT_EQ(ThreadsNote({}, 38, 10), "");
  EXPECT_EQ(ThreadsNote(two, std::nullopt, 10), "");
}

TEST(MakeInputs, TokenIdsStayWithinTheTable) {
  const auto ids = Integers(MakeInputs(TextModel(), {8, 64}, 1).value()[0]);
  EXPECT_EQ(*std::min_element(ids.begin(), ids.end()), 0);
  EXPECT_EQ(*std::max_element(ids.begin(), ids.end()), 4);
}

TEST(MakeInputs, MasksAreOnesAndTypesAreZeros) {
  const auto inputs = MakeInputs(TextModel(), {1, 3}, 1).value();
  EXPECT_EQ(Integers(inputs[1]), (std::vector<int64_t>{1, 1, 1}));
  EXPECT_EQ(Integers(inputs[2]), (std::vector<int64_t>{0, 0, 0}));
}

TEST(MakeInputs, PicturesAreNormalAndSeeded) {
  const auto a = MakeInputs(TextModel(), {4, 1}, 1).value();
  const auto b = MakeInputs(TextModel(), {4, 1}, 1).value();
  const Tensor& pixels = a[3].value.tensor();
  double sum = 0;
  for (int64_t i = 0; i < pixels.size(); ++i) {
    sum += std::pow(pixels.data<float>()[i], 2);
    EXPECT_EQ(pixels.data<float>()[i], b[3].value.tensor().data<float>()[i]);
  }
  EXPECT_NEAR(sum / static_cast<double>(pixels.size()), 1, 0.2);
}

TEST(FreeDimensions, AreFoundByNameAndPlace) {
  const FreeDimensions free = FindFreeDimensions(TextModel());
  EXPECT_TRUE(free.batch);
  EXPECT_TRUE(free.sequence);
}

std::vector<NamedValue> Outputs(const std::string& name,
                                const std::vector<float>& values) {
  return {{name, Tensor::Vector(values)}};
}

TEST(CompareOutputs, TellsMaximumAndRelativeError) {
  const auto found =
      CompareOutputs(Outputs("y", {3, 4.5}), Outputs("y", {3, 4}));
  EXPECT_DOUBLE_EQ(found->max_difference, 0.5);
  EXPECT_DOUBLE_EQ(found->relative_error, 0.1);
}

// Answers of `items` pictures, 1000 classes each, spread as logits are.
std::vector<NamedValue> Logits(int64_t items) {
  Tensor tensor = Tensor::Allocate(DType::kFloat32, {items, 1000}).value();
  for (int64_t i = 0; i < tensor.size(); ++i) {
    tensor.data<float>()[i] = std::sin(static_cast<float>(i) * 1.7f);
  }
  return {{"logits", std::move(tensor)}};
}

// Of logits whose elements from `from` to `to` are turned round.
Status CheckOfWrong(int64_t items, int64_t from, int64_t to) {
  std::vector<NamedValue> outputs = Logits(items);
  float* data = outputs[0].value.tensor().data<float>();
  for (int64_t i = from; i < to; ++i) data[i] = -data[i];
  return CheckDifference(CompareOutputs(outputs, Logits(items)).value(),
                         "int8");
}

TEST(CompareOutputs, OneWrongPictureOf64IsWrong) {
  EXPECT_TRUE(CheckOfWrong(64, 0, 0).ok());
  EXPECT_EQ(CheckOfWrong(64, 3000, 4000).code(), StatusCode::kMismatch);
}

TEST(CompareOutputs, AFewWrongElementsOfAThousandAreWrong) {
  EXPECT_EQ(CheckOfWrong(1, 992, 1000).code(), StatusCode::kMismatch);
}

TEST(CompareOutputs, RoundingOfEveryElementToABytesPrecisionIsAllowed) {
  std::vector<NamedValue> outputs = Logits(2);
  float* data = outputs[0].value.tensor().data<float>();
  for (int i = 0; i < 2000; ++i) data[i] += i % 2 == 0 ? 0.08f : -0.08f;
  const auto difference = CompareOutputs(outputs, Logits(2));
  EXPECT_NEAR(difference->relative_error, 0.08 * std::sqrt(2), 1e-3);
  EXPECT_TRUE(CheckDifference(*difference, "int8").ok());
  EXPECT_FALSE(CheckDifference(*difference, "bf16").ok());
}

// Answers of `items` with `classes` values each, made by a function.
template <typename Make>
std::vector<NamedValue> Batch(int64_t items, int64_t classes, Make make) {
  Tensor tensor = Tensor::Allocate(DType::kFloat32, {items, classes}).value();
  for (int64_t i = 0; i < tensor.size(); ++i) {
    tensor.data<float>()[i] = static_cast<float>(make(i));
  }
  return {{"y", std::move(tensor)}};
}

Status Check(const std::vector<NamedValue>& found,
             const std::vector<NamedValue>& reference,
             const std::string& precision) {
  return CheckDifference(CompareOutputs(found, reference).value(), precision);
}

// Sigmoids of -14: a rounding of 1 is 24 % of them.
TEST(CompareOutputs, TinyProbabilitiesAreNotWrongByARoundingOfOne) {
  const auto tiny = Batch(4, 10, [](int64_t) { return 1e-6; });
  const auto off = Batch(4, 10, [](int64_t) { return 1.24e-6; });
  EXPECT_TRUE(Check(off, tiny, "fp32").ok());
  // One of 4 items answers something else.
  for (double wrong : {1e-4, 0.5}) {
    const auto other = Batch(
        4, 10, [&](int64_t i) { return i >= 20 && i < 30 ? wrong : 1e-6; });
    EXPECT_FALSE(Check(other, tiny, "fp32").ok()) << wrong;
  }
  const auto half =
      Batch(4, 10, [](int64_t i) { return i == 25 ? 0.9 : 1e-6; });
  EXPECT_FALSE(Check(half, tiny, "int8").ok());
}

// An item next to nothing beside others is compared on their scale.
TEST(CompareOutputs, AnItemNextToNothingIsComparedOnTheScaleOfTheOutput) {
  const auto value = [](int64_t i) { return (i < 10 ? 1e-6 : -1.0) * (i % 3); };
  const auto reference = Batch(4, 10, value);
  const auto off =
      Batch(4, 10, [&](int64_t i) { return value(i) + (i < 10 ? 2e-7 : 0); });
  EXPECT_TRUE(Check(off, reference, "fp32").ok());
  const auto wrong =
      Batch(4, 10, [&](int64_t i) { return value(i) + (i < 10 ? 1e-4 : 0); });
  EXPECT_FALSE(Check(wrong, reference, "fp32").ok());
}

// Small everywhere, but not because 1 is its range: logits and softmax.
TEST(CompareOutputs, SmallOutputsOfOtherKindsHaveNoFloorOfOne) {
  const auto logits = Batch(2, 9, [](int64_t i) { return 1e-6 * (i % 3 - 1); });
  const auto off = Batch(2, 9, [](int64_t i) { return 1.24e-6 * (i % 3 - 1); });
  EXPECT_FALSE(Check(off, logits, "fp32").ok());
  // Softmax over 30,000 tokens, half of it at the wrong places.
  const auto share = [](int64_t i) { return (i % 2 == 0 ? 1.5 : 0.5) / 3e4; };
  const auto tokens = Batch(2, 30000, share);
  const auto wrong =
      Batch(2, 30000, [&](int64_t i) { return share(i < 30000 ? i : i + 1); });
  EXPECT_FALSE(Check(wrong, tokens, "int8").ok());
}

TEST(CompareOutputs, ScalarsAreCompared) {
  const auto scalar = [](float value) -> std::vector<NamedValue> {
    Tensor tensor = Tensor::Allocate(DType::kFloat32, {}).value();
    tensor.data<float>()[0] = value;
    return {{"y", std::move(tensor)}};
  };
  EXPECT_TRUE(Check(scalar(3), scalar(3), "fp32").ok());
  EXPECT_FALSE(Check(scalar(4), scalar(3), "fp32").ok());
}

TEST(CompareOutputs, OtherNamesAreMatchedByPlace) {
  EXPECT_TRUE(CompareOutputs(Outputs("z", {1}), Outputs("y", {1})).ok());
}

TEST(CompareOutputs, ShapeAndNanAreMismatches) {
  EXPECT_EQ(
      CompareOutputs(Outputs("y", {1, 2}), Outputs("y", {1})).status().code(),
      StatusCode::kMismatch);
  EXPECT_EQ(
      CompareOutputs(Outputs("y", {NAN}), Outputs("y", {1})).status().code(),
      StatusCode::kMismatch);
}

TEST(FindPeer, NamesTheRuntimesThereAre) {
  const TemporaryFolder folder = TemporaryFolder::Make().value();
  ASSERT_TRUE(WriteFileAtomically(folder.path() + "/a_peer.py", "").ok());
  const auto known = FindPeer("a", folder.path(), "stint");
  ASSERT_TRUE(known.ok());
  EXPECT_EQ(known->command[1], folder.path() + "/a_peer.py");
  const Status unknown = FindPeer("b", folder.path(), "stint").status();
  EXPECT_EQ(unknown.code(), StatusCode::kNotFound);
  EXPECT_NE(unknown.message().find("stint, a"), std::string::npos);
}

PeerClient StartShell(const std::string& script, double timeout_seconds = 30) {
  return PeerClient::Start({"shell", {"sh", "-c", script}}, timeout_seconds)
      .value();
}

TEST(PeerClient, DeathTellsTheSignalAndTheLastWords) {
  PeerClient client = StartShell("read x; echo oh no >&2; kill -ABRT $$");
  const Status status = client.Describe().status();
  EXPECT_EQ(status.code(), StatusCode::kIo);
  EXPECT_EQ(status.message(), "SIGABRT: oh no");
}

TEST(PeerClient, AnAnswerOfAnotherShapeIsDamaged) {
  PeerClient client = StartShell("read x; echo '{\"ok\": true}'");
  EXPECT_EQ(client.Describe().status().code(), StatusCode::kDamaged);
}

TEST(PeerClient, SilenceIsCancelled) {
  PeerClient client = StartShell("sleep 30", 0.5);
  EXPECT_EQ(client.Describe().status().code(), StatusCode::kCancelled);
}

}  // namespace
}  // namespace stint
