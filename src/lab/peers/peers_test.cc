#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/platform/file.h"
#include "core/platform/temporary_folder.h"
#include "lab/peers/compare_outputs.h"
#include "lab/peers/make_inputs.h"
#include "lab/peers/peer_client.h"
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
