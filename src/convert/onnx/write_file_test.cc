#include "convert/onnx/write_file.h"

#include <gtest/gtest.h>

#include "convert/onnx/export.h"
#include "convert/onnx/import.h"
#include "core/platform/file.h"

namespace stint {
namespace {

std::vector<std::string> Entries(const std::string& folder) {
  const auto found = ListDirectory(folder);
  EXPECT_TRUE(found.ok());
  return found.value();
}

std::string NewFile(const std::string& name) {
  const std::string folder = testing::TempDir() + "write_file_" + name;
  EXPECT_TRUE(MakeDirectories(folder).ok());
  for (const std::string& old : Entries(folder)) {
    EXPECT_TRUE(RemoveFile(JoinPath(folder, old)).ok());
  }
  return JoinPath(folder, "a.onnx");
}

// y = relu(x).
Graph ReluOf(ValueType type) {
  Graph graph;
  const ValueId x = graph.AddInput("x", std::move(type));
  const ValueId y = graph.AddValue("y");
  graph.AddNode("relu", FindOp("Relu")->Make(), {x}, {y});
  graph.MarkOutput(y);
  EXPECT_TRUE(InferGraph(&graph).ok());
  return graph;
}

ValueType InputAfterRoundTrip(const Graph& graph) {
  const auto bytes = ExportOnnxBytes(graph);
  EXPECT_TRUE(bytes.ok());
  const auto read = ImportOnnxBytes(*bytes, ".", nullptr);
  EXPECT_TRUE(read.ok()) << read.status().message();
  return (*read)->value((*read)->inputs()[0]).type;
}

TEST(ExportOnnxBytes, KeepsUnnamedFreeDimensions) {
  const ValueType type =
      ValueType::Of(DType::kFloat32, {kUnknownDim, 3, kUnknownDim, 8});
  EXPECT_EQ(InputAfterRoundTrip(ReluOf(type)).dims, type.dims);
}

TEST(ExportOnnxBytes, KeepsScalarsApartFromUnknownRanks) {
  const ValueType scalar = ValueType::Of(DType::kFloat32, Shape{});
  EXPECT_EQ(InputAfterRoundTrip(ReluOf(scalar)), scalar);
  const ValueType unranked = ValueType::Of(DType::kFloat32);
  EXPECT_EQ(InputAfterRoundTrip(ReluOf(unranked)), unranked);
}

TEST(ExportOnnxBytes, GivesInputsTheirNamesBeforeAnythingElse) {
  Graph graph;
  const ValueId c =
      graph.AddConstant("x", Tensor::FromVector<float>({1}, {1}).value());
  const ValueId x = graph.AddInput("x", ValueType::Of(DType::kFloat32, {1}));
  const ValueId y = graph.AddValue("y");
  Binary add;
  add.kind = BinaryKind::kAdd;
  graph.AddNode("sum", add, {x, c}, {y});
  graph.MarkOutput(y);
  ASSERT_TRUE(InferGraph(&graph).ok());
  const auto bytes = ExportOnnxBytes(graph);
  ASSERT_TRUE(bytes.ok());
  const auto read = ImportOnnxBytes(*bytes, ".", nullptr);
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ((*read)->value((*read)->inputs()[0]).name, "x");
}

TEST(ExportOnnxBytes, CountsThePartsOfEqualSplits) {
  Graph graph;
  const ValueId x = graph.AddInput("x", ValueType::Of(DType::kFloat32, {4}));
  const ValueId a = graph.AddValue("a");
  const ValueId b = graph.AddValue("b");
  graph.AddNode("split", Split{}, {x}, {a, b});
  graph.MarkOutput(b);
  ASSERT_TRUE(InferGraph(&graph).ok());
  const auto read = ImportOnnxBytes(ExportOnnxBytes(graph).value(), ".", {});
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(As<Split>((*read)->node((*read)->order()[0]).op)->num_outputs, 2);
}

TEST(ExportOnnxBytes, SaysNothingOfKernelsThatWeightsSay) {
  Graph graph;
  const ValueId x =
      graph.AddInput("x", ValueType::Of(DType::kFloat32, {1, 1, 3, 3}));
  const ValueId w = graph.AddConstant(
      "w", Tensor::FromVector<float>({1, 1, 1, 1}, {2}).value());
  const ValueId y = graph.Add("conv", Conv{}, {x, w});
  graph.MarkOutput(y);
  ASSERT_TRUE(InferGraph(&graph).ok());
  EXPECT_EQ(ExportOnnxBytes(graph).value().find("kernel_shape"),
            std::string::npos);
}

TEST(WriteOnnxFile, LeavesNothingBehindWhenItCannotBeReadBack) {
  const std::string path = NewFile("unsound");
  ASSERT_TRUE(WriteFileAtomically(path, "old").ok());
  Graph graph = ReluOf(ValueType::Of(DType::kFloat32, {1, 3}));
  // Says of itself what its operators do not give.
  graph.value(graph.outputs()[0]).type = ValueType::Of(DType::kFloat32, {1, 4});
  const auto written = WriteOnnxFile(graph, path);
  ASSERT_FALSE(written.ok());
  EXPECT_NE(written.status().message().find(path), std::string::npos);
  EXPECT_EQ(ReadFile(path).value(), "old");
  EXPECT_EQ(Entries(DirectoryOf(path)), std::vector<std::string>{"a.onnx"});
}

TEST(CheckSameInterface, TellsShapesTypesAndNamesApart) {
  const Graph graph = ReluOf(ValueType::Of(DType::kFloat32, {kUnknownDim, 3}));
  EXPECT_TRUE(CheckSameInterface(graph, graph).ok());
  const ValueType others[] = {ValueType::Of(DType::kFloat32, {3}),
                              ValueType::Of(DType::kFloat32, {1, 3}),
                              ValueType::Of(DType::kFloat64, {kUnknownDim, 3}),
                              ValueType::Of(DType::kFloat32)};
  for (const ValueType& other : others) {
    EXPECT_EQ(CheckSameInterface(graph, ReluOf(other)).code(),
              StatusCode::kDamaged);
  }
  Graph renamed = std::move(*graph.Clone());
  renamed.value(renamed.inputs()[0]).name = "other";
  EXPECT_EQ(CheckSameInterface(graph, renamed).message(),
            "input 'x' reads back as 'other' float32[?,3], expected "
            "float32[?,3]");
}

}  // namespace
}  // namespace stint
