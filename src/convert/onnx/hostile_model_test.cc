// Well-formed files that would make a careless importer read, allocate or
// expand far more than they are worth.

#include <gtest/gtest.h>

#include <filesystem>

#include "convert/onnx/import.h"
#include "convert/onnx/testing/model_bytes.h"
#include "convert/onnx/testing/says.h"
#include "core/platform/clock.h"
#include "core/platform/file.h"
#include "core/platform/memory/memory.h"
#include "engine/run/graph_runner.h"

namespace stint::onnx {
namespace {

const Message kX = TensorInfo("x", kFloatType, {2, 3});
const Message kY = TensorInfo("y", kFloatType, {2, 3});

// A folder that holds one file, "weights.bin" of 8 bytes.
std::string ModelFolder() {
  const std::string folder = JoinPath(testing::TempDir(), "hostile_model");
  EXPECT_TRUE(MakeDirectories(folder).ok());
  EXPECT_TRUE(WriteFileAtomically(JoinPath(folder, "weights.bin"),
                                  std::string_view("\0\0\0\0\0\0\0\0", 8))
                  .ok());
  return folder;
}

Status Import(const std::string& bytes) {
  return ImportOnnxBytes(bytes, ModelFolder(), nullptr).status();
}

// Imports and folds constants on a machine with 64 MB.
Status Prepare(const std::string& bytes) {
  PretendMemoryForTesting(64 << 20);
  const Status status = [&] {
    auto graph = ImportOnnxBytes(bytes, ModelFolder(), nullptr);
    if (!graph.ok()) return graph.status();
    ThreadPool pool(1);
    return GraphRunner(graph->get(), {}, &pool).Prepare();
  }();
  PretendMemoryForTesting(0);
  return status;
}

std::string ExternalModel(const std::string& location) {
  return ModelBytes({.nodes = {Node("Relu", {"w"}, {"y"})},
                     .initializers = {ExternalTensor("w", location)},
                     .outputs = {TensorInfo("y", kFloatType, {2})}});
}

TEST(ExternalData, FileBesideTheModelIsRead) {
  const Status status = Import(ExternalModel("weights.bin"));
  EXPECT_TRUE(status.ok()) << status.message();
}

TEST(ExternalData, MissingFileIsNamedWithItsTensor) {
  const Status status = Import(ExternalModel("nowhere.bin"));
  EXPECT_EQ(status.code(), StatusCode::kNotFound);
  ExpectSays(status, {"tensor 'w'", "nowhere.bin"});
}

TEST(ExternalData, LocationOutsideTheFolderIsRefused) {
  for (const char* location : {"../x", "/etc/passwd", "a/../../x", ""}) {
    const Status status = Import(ExternalModel(location));
    EXPECT_EQ(status.code(), StatusCode::kDamaged);
    EXPECT_EQ(status.message(), std::string("tensor 'w': external location '") +
                                    location +
                                    "' is not a path below the model's folder");
  }
}

TEST(ExternalData, DeviceIsNotAFile) {
  const std::string link = JoinPath(ModelFolder(), "device.bin");
  std::filesystem::remove(link);
  std::filesystem::create_symlink("/dev/zero", link);
  EXPECT_FALSE(Import(ExternalModel("device.bin")).ok());
}

TEST(HostileModel, HugeConstantOfShapeIsRefused) {
  const Status status = Prepare(
      ModelBytes({.nodes = {Node("ConstantOfShape", {"s"}, {"y"})},
                  .initializers = {Int64Tensor("s", {1 << 20, 1 << 20})},
                  .outputs = {kY}}));
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  ExpectSays(status, {"ConstantOfShape", "[1048576,"});
}

TEST(HostileModel, ShapeThatOverflowsIsRefused) {
  const int64_t huge = int64_t{1} << 40;
  for (const char* op : {"ConstantOfShape", "Expand", "Tile"}) {
    std::vector<std::string> inputs = {"s"};
    if (op != std::string("ConstantOfShape"))
      inputs.insert(inputs.begin(), "x");
    const Status status =
        Import(ModelBytes({.nodes = {Node(op, inputs, {"y"})},
                           .initializers = {Int64Tensor("s", {huge, huge})},
                           .inputs = {TensorInfo("x", kFloatType, {1, 1})},
                           .outputs = {kY}}));
    EXPECT_EQ(status.code(), StatusCode::kResourceExhausted) << op;
    ExpectSays(status, {op, "[1099511627776,"});
  }
}

TEST(HostileModel, HugeExpandAndTileAreRefusedBeforeTheyRun) {
  for (const char* op : {"Expand", "Tile"}) {
    const Status status = Prepare(
        ModelBytes({.nodes = {Node(op, {"s", "s"}, {"y"})},
                    .initializers = {Int64Tensor("s", {int64_t{1} << 36})},
                    .outputs = {kY}}));
    EXPECT_EQ(status.code(), StatusCode::kResourceExhausted) << op;
  }
}

TEST(HostileModel, EveryUnknownOperatorIsReportedAtOnce) {
  const Status status = Import(ModelBytes(
      {.nodes = {Node("Foo", {"x"}, {"a"}), Node("Foo", {"a"}, {"b"}),
                 Node("Bar", {"b"}, {"y"}, {}, "com.example")},
       .inputs = {kX},
       .outputs = {kY}}));
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_EQ(status.message(),
            "Bar: operator of domain 'com.example' is not supported (1 node: "
            "'Bar_node'); Foo: operator is not supported (2 nodes: "
            "'Foo_node', 'Foo_node')");
}

TEST(HostileModel, OpsetNewerThanTheNewestStatesBoth) {
  const Status status = Import(ModelBytes(
      {.nodes = {Node("Relu", {"x"}, {"y"})}, .inputs = {kX}, .outputs = {kY}},
      {}, 99));
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  ExpectSays(status, {"opset 99 is newer than "});
}

TEST(HostileModel, UnknownAttributeIsNamed) {
  ExpectSays(Import(ModelBytes({.nodes = {Node("Relu", {"x"}, {"y"},
                                               {IntAttribute("speed", 3)})},
                                .inputs = {kX},
                                .outputs = {kY}})),
             {"attribute 'speed' is not known in version 14"});
}

TEST(HostileModel, AttributeOfAnotherTypeStatesBoth) {
  ExpectSays(Import(ModelBytes({.nodes = {Node("Softmax", {"x"}, {"y"},
                                               {IntsAttribute("axis", {1})})},
                                .inputs = {kX},
                                .outputs = {kY}})),
             {"attribute 'axis' has type 7, expected 2"});
}

TEST(HostileModel, FunctionThatCallsItselfIsRefused) {
  const Message f =
      Function("F", {"a"}, {"b"}, {Node("F", {"a"}, {"b"}, {}, "local")});
  ExpectSays(Import(ModelBytes({.nodes = {Node("F", {"x"}, {"y"}, {}, "local")},
                                .inputs = {kX},
                                .outputs = {kY}},
                               {f})),
             {"function 'F' calls itself"});
}

TEST(HostileModel, FunctionsThatCallEachOtherAreRefused) {
  const Message f =
      Function("F", {"a"}, {"b"}, {Node("G", {"a"}, {"b"}, {}, "local")});
  const Message g =
      Function("G", {"a"}, {"b"}, {Node("F", {"a"}, {"b"}, {}, "local")});
  ExpectSays(Import(ModelBytes({.nodes = {Node("F", {"x"}, {"y"}, {}, "local")},
                                .inputs = {kX},
                                .outputs = {kY}},
                               {f, g})),
             {"calls itself"});
}

// Each function calls the next one four times: 4^20 nodes from 2 KB.
TEST(HostileModel, FunctionsThatMultiplyStopAtALimit) {
  std::vector<Message> functions;
  for (int i = 0; i < 20; ++i) {
    const std::string next = "F" + std::to_string(i + 1);
    functions.push_back(Function("F" + std::to_string(i), {"a"}, {"b"},
                                 {Node(next, {"a"}, {"t0"}, {}, "local"),
                                  Node(next, {"t0"}, {"t1"}, {}, "local"),
                                  Node(next, {"t1"}, {"t2"}, {}, "local"),
                                  Node(next, {"t2"}, {"b"}, {}, "local")}));
  }
  functions.push_back(
      Function("F20", {"a"}, {"b"}, {Node("Relu", {"a"}, {"b"})}));
  const Status status =
      Import(ModelBytes({.nodes = {Node("F0", {"x"}, {"y"}, {}, "local")},
                         .inputs = {kX},
                         .outputs = {kY}},
                        functions));
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  ExpectSays(status, {"nodes after expanding functions"});
}

}  // namespace
}  // namespace stint::onnx
