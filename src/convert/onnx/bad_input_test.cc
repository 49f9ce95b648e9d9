// Models that are damaged, hostile or just not for us: each gives an error that
// names the object and both sides of the disagreement, quickly.

#include <gtest/gtest.h>

#include "convert/onnx/import.h"
#include "convert/onnx/testing/model_bytes.h"
#include "convert/onnx/testing/says.h"
#include "core/base/random.h"
#include "core/platform/clock.h"
#include "core/platform/file.h"
#include "core/platform/memory/memory.h"
#include "engine/run/graph_runner.h"

namespace stint::onnx {
namespace {

const Message kX = TensorInfo("x", kFloatType, {2, 3});
const Message kY = TensorInfo("y", kFloatType, {2, 3});

// Refuses tensors above 64 MB for as long as it lives, and fails the test when
// that takes much longer than the milliseconds it should: the limit only tells
// an error from a hang, also on a busy machine and under sanitizers.
class BadInput : public testing::Test {
 protected:
  BadInput() : start_ns_(NowNs()) { PretendMemoryForTesting(64 << 20); }
  ~BadInput() override {
    PretendMemoryForTesting(0);
    EXPECT_LT(MsSince(start_ns_), 20e3);
  }

 private:
  const int64_t start_ns_;
};

Status Import(const std::string& bytes) {
  return ImportOnnxBytes(bytes, testing::TempDir(), nullptr).status();
}

// Imports, prepares and runs on the inputs; the first error.
Status ImportAndRun(const std::string& bytes,
                    const std::vector<Value>& inputs) {
  auto graph = ImportOnnxBytes(bytes, testing::TempDir(), nullptr);
  if (!graph.ok()) return graph.status();
  ThreadPool pool(1);
  GraphRunner runner(graph->get(), {}, &pool);
  STINT_RETURN_IF_ERROR(runner.Prepare());
  return runner.Run(inputs).status();
}

std::string SmallModel() {
  return ModelBytes({.nodes = {Node("Reshape", {"x", "shape"}, {"r"}),
                               Node("Relu", {"r"}, {"y"})},
                     .initializers = {Int64Tensor("shape", {3, 2})},
                     .inputs = {kX},
                     .outputs = {TensorInfo("y", kFloatType, {3, 2})}});
}

TEST_F(BadInput, SmallModelItselfIsFine) {
  const Status status = ImportAndRun(
      SmallModel(), {Tensor::Allocate(DType::kFloat32, {2, 3}).value()});
  EXPECT_TRUE(status.ok()) << status.message();
}

TEST_F(BadInput, TruncationAtEveryByteGivesAnErrorOrAModel) {
  const std::string bytes = SmallModel();
  int errors = 0;
  for (size_t size = 0; size < bytes.size(); ++size) {
    const Status status = Import(bytes.substr(0, size));
    if (!status.ok()) {
      ++errors;
      EXPECT_FALSE(status.message().empty());
    }
  }
  EXPECT_GT(errors, static_cast<int>(bytes.size()) / 2);
}

TEST_F(BadInput, FlippedBitsGiveAnErrorOrAModelThatRuns) {
  const std::string bytes = SmallModel();
  const std::vector<Value> inputs = {
      Tensor::Allocate(DType::kFloat32, {2, 3}).value()};
  Random random(17);
  int errors = 0;
  for (int round = 0; round < 2000; ++round) {
    std::string flipped = bytes;
    for (int64_t flips = random.NextInt(3); flips >= 0; --flips) {
      const size_t bit = random.NextInt(8 * flipped.size());
      flipped[bit / 8] ^= static_cast<char>(1 << (bit % 8));
    }
    if (!ImportAndRun(flipped, inputs).ok()) ++errors;
  }
  EXPECT_GT(errors, 100);
}

TEST_F(BadInput, EmptyFileHoldsNoGraph) {
  EXPECT_EQ(Import("").message(), "holds no graph; expected an ONNX model");
}

TEST_F(BadInput, NestingWithoutEndIsRefused) {
  Message graph = GraphMessage({});
  for (int depth = 0; depth < 500; ++depth) {
    graph =
        GraphMessage({.nodes = {Node("If", {"c"}, {"y"},
                                     {GraphAttribute("then_branch", graph)})}});
  }
  const std::string bytes =
      Message().Sub(7, graph).Sub(8, OpsetImport("", 17)).bytes();
  EXPECT_EQ(Import(bytes).message(),
            "not a valid protobuf message: nested too deeply");
}

TEST_F(BadInput, CycleNamesANodeOnIt) {
  const Status status = Import(ModelBytes(
      {.nodes = {Node("Add", {"x", "b"}, {"a"}), Node("Neg", {"a"}, {"b"})},
       .inputs = {kX},
       .outputs = {TensorInfo("b", kFloatType, {2, 3})}}));
  EXPECT_EQ(status.code(), StatusCode::kDamaged);
  EXPECT_EQ(status.message(), "node 'Add_node' (Add) is on a cycle");
}

TEST_F(BadInput, ValueProducedTwiceIsNamed) {
  EXPECT_EQ(Import(ModelBytes({.nodes = {Node("Relu", {"x"}, {"y"}),
                                         Node("Neg", {"x"}, {"y"})},
                               .inputs = {kX},
                               .outputs = {kY}}))
                .message(),
            "value 'y' is produced twice");
}

TEST_F(BadInput, OutputOfANodeThatIsAlsoAnInputIsNamed) {
  EXPECT_EQ(Import(ModelBytes({.nodes = {Node("Relu", {"x"}, {"x"})},
                               .inputs = {kX},
                               .outputs = {kX}}))
                .message(),
            "value 'x' is produced twice");
}

TEST_F(BadInput, MissingValueIsNamedWithItsNode) {
  EXPECT_EQ(Import(ModelBytes({.nodes = {Node("Relu", {"z"}, {"y"})},
                               .inputs = {kX},
                               .outputs = {kY}}))
                .message(),
            "node 'Relu_node' (Relu): value 'z' is produced by nothing");
}

TEST_F(BadInput, MissingOutputIsNamed) {
  EXPECT_EQ(Import(ModelBytes({.inputs = {kX}, .outputs = {kY}})).message(),
            "value 'y' is produced by nothing");
}

TEST_F(BadInput, TooFewInputsAreCounted) {
  ExpectSays(Import(ModelBytes({.nodes = {Node("Add", {"x"}, {"y"})},
                                .inputs = {kX},
                                .outputs = {kY}})),
             {"node 'Add_node' (Add)", "input 1 is missing"});
}

TEST_F(BadInput, TooManyInputsAreCounted) {
  ExpectSays(Import(ModelBytes({.nodes = {Node("Relu", {"x", "x"}, {"y"})},
                                .inputs = {kX},
                                .outputs = {kY}})),
             {"has 2 inputs, expected at most 1"});
}

TEST_F(BadInput, InputOfAnotherElementTypeIsNamed) {
  ExpectSays(
      Import(ModelBytes({.nodes = {Node("Add", {"x", "k"}, {"y"})},
                         .inputs = {kX, TensorInfo("k", kInt64Type, {2, 3})},
                         .outputs = {kY}})),
      {"node 'Add_node' (Add)",
       "input 1 is int64, expected float32 as input 0"});
}

TEST_F(BadInput, StringsWhereNumbersBelongAreRefused) {
  ExpectSays(Import(ModelBytes({.nodes = {Node("Relu", {"t"}, {"y"})},
                                .inputs = {TensorInfo("t", 8, {2})},
                                .outputs = {kY}})),
             {"input 0 is string[2]"});
}

TEST_F(BadInput, RawDataOfAnotherLengthStatesBoth) {
  EXPECT_EQ(
      Import(ModelBytes({.initializers = {RawTensor("w", kFloatType, {2, 3},
                                                    std::string(20, 'a'))}}))
          .message(),
      "tensor 'w' of shape [2,3] has 20 bytes of raw data, expected 24");
}

TEST_F(BadInput, NegativeDimensionOfATensorIsNamed) {
  EXPECT_EQ(Import(ModelBytes({.initializers = {RawTensor("w", kFloatType,
                                                          {-2, 3}, "")}}))
                .message(),
            "tensor 'w': shape [-2,3] has a negative dimension");
}

TEST_F(BadInput, HugeInitializerIsRefusedUnread) {
  const int64_t huge = int64_t{1} << 40;
  ExpectSays(Import(ModelBytes({.initializers = {RawTensor(
                                    "w", kFloatType, {huge, huge}, "")}})),
             {"tensor 'w'", "more elements than 64 bits can count"});
}

TEST_F(BadInput, UnknownElementTypeIsNamed) {
  EXPECT_EQ(Import(ModelBytes({.initializers = {RawTensor("w", 99, {1}, "")}}))
                .message(),
            "tensor 'w' has element type number 99");
}

}  // namespace
}  // namespace stint::onnx
