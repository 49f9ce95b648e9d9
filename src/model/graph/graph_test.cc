#include "model/graph/graph.h"

#include <gtest/gtest.h>

namespace stint {
namespace {

const ValueType kPair = ValueType::Of(DType::kFloat32, {2});
const Op kRelu = Unary{UnaryKind::kRelu};
const Op kAdd = Binary{BinaryKind::kAdd};

std::vector<std::string> NamesInOrder(const Graph& graph) {
  std::vector<std::string> names;
  for (NodeId id : graph.order()) names.push_back(graph.node(id).name);
  return names;
}

TEST(SortNodes, PutsProducersFirst) {
  Graph graph;
  const ValueId x = graph.AddInput("x", kPair);
  const ValueId a = graph.AddValue("a");
  const ValueId b = graph.AddValue("b");
  graph.AddNode("second", kRelu, {a}, {b});
  graph.AddNode("first", kRelu, {x}, {a});
  ASSERT_TRUE(graph.SortNodes().ok());
  EXPECT_EQ(NamesInOrder(graph), (std::vector<std::string>{"first", "second"}));
}

TEST(SortNodes, KeepsAnOrderThatIsRight) {
  Graph graph;
  const ValueId x = graph.AddInput("x", kPair);
  const ValueId a = graph.Add("a", kRelu, {x});
  graph.Add("b", kRelu, {x});
  graph.Add("c", kRelu, {a});
  ASSERT_TRUE(graph.SortNodes().ok());
  EXPECT_EQ(NamesInOrder(graph), (std::vector<std::string>{"a", "b", "c"}));
}

TEST(SortNodes, AcceptsAValueThatANodeReadsTwice) {
  Graph graph;
  const ValueId a = graph.Add("a", kRelu, {graph.AddInput("x", kPair)});
  graph.Add("twice", kAdd, {a, a});
  EXPECT_TRUE(graph.SortNodes().ok());
}

TEST(SortNodes, NamesANodeOnACycle) {
  Graph graph;
  const ValueId a = graph.AddValue("a");
  const ValueId b = graph.AddValue("b");
  graph.AddNode("n", kRelu, {a}, {b});
  graph.AddNode("m", kRelu, {b}, {a});
  const Status status = graph.SortNodes();
  EXPECT_EQ(status.code(), StatusCode::kDamaged);
  EXPECT_EQ(status.message(), "node 'n' (Relu) is on a cycle");
}

TEST(SortNodes, TakesALongChainInTheWrongOrder) {
  Graph graph;
  constexpr int kNodes = 20000;
  std::vector<ValueId> values = {graph.AddInput("x", kPair)};
  for (int i = 0; i < kNodes; ++i) values.push_back(graph.AddValue("v"));
  for (int i = kNodes; i > 0; --i) {
    graph.AddNode("n", kRelu, {values[i - 1]}, {values[i]});
  }
  ASSERT_TRUE(graph.SortNodes().ok());
  EXPECT_TRUE(VerifyGraph(graph).ok());
}

TEST(MakeConstant, TakesTheOutputFromItsNode) {
  Graph graph;
  const ValueId y = graph.Add("y", kRelu, {graph.AddInput("x", kPair)});
  graph.MakeConstant(y, Tensor::Vector<float>({1, 2}));
  EXPECT_FALSE(graph.value(y).producer.valid());
  EXPECT_EQ(graph.node(graph.order()[0]).outputs[0], kNoValue);
}

TEST(RemoveNodes, LeavesTheOthersInOrder) {
  Graph graph;
  const ValueId x = graph.AddInput("x", kPair);
  for (const char* name : {"a", "b", "c"}) graph.Add(name, kRelu, {x});
  graph.RemoveNodes([&](NodeId id) { return graph.node(id).name == "b"; });
  EXPECT_EQ(NamesInOrder(graph), (std::vector<std::string>{"a", "c"}));
}

TEST(Symbols, OneNameIsOneSymbol) {
  Graph graph;
  const int64_t batch = graph.Symbol("batch");
  EXPECT_EQ(batch, kFirstSymbol);
  EXPECT_EQ(graph.Symbol("length"), kFirstSymbol - 1);
  EXPECT_EQ(graph.Symbol("batch"), batch);
}

TEST(InferGraph, NamesTheNodeThatDoesNotFit) {
  Graph graph;
  const ValueId x = graph.AddInput("x", kPair);
  const ValueId w = graph.AddInput("w", ValueType::Of(DType::kFloat32, {3}));
  graph.Add("sum", kAdd, {x, w});
  EXPECT_EQ(InferGraph(&graph).message(),
            "node 'sum' (Add): shapes [2] and [3] do not broadcast");
}

TEST(InferGraph, KeepsADeclaredDimensionThatTheRuleDoesNotKnow) {
  Graph graph;
  const ValueId x =
      graph.AddInput("x", ValueType::Of(DType::kFloat32, {kUnknownDim, 4}));
  const ValueId y =
      graph.AddValue("y", ValueType::Of(DType::kFloat32, {7, kUnknownDim}));
  graph.AddNode("relu", kRelu, {x}, {y});
  ASSERT_TRUE(InferGraph(&graph).ok());
  EXPECT_EQ(graph.value(y).type.dims, (Shape{7, 4}));
}

TEST(VerifyGraph, AcceptsAWellFormedGraph) {
  Graph graph;
  graph.MarkOutput(graph.Add("y", kRelu, {graph.AddInput("x", kPair)}));
  EXPECT_TRUE(VerifyGraph(graph).ok());
}

TEST(VerifyGraph, FindsAnInputIdOutOfRange) {
  Graph graph;
  graph.Add("y", kRelu, {ValueId{99}});
  EXPECT_EQ(VerifyGraph(graph).message(),
            "node 'y' (Relu): input id out of range");
}

TEST(VerifyGraph, FindsAReaderBeforeItsProducer) {
  Graph graph;
  const ValueId a = graph.AddValue("a");
  graph.Add("reader", kRelu, {a});
  graph.AddNode("writer", kRelu, {graph.AddInput("x", kPair)}, {a});
  EXPECT_EQ(VerifyGraph(graph).message(),
            "node 'reader' (Relu): reads 'a' before it is produced");
}

TEST(VerifyGraph, FindsAValueThatNothingProduces) {
  Graph graph;
  graph.MarkOutput(graph.AddValue("y"));
  EXPECT_EQ(VerifyGraph(graph).message(),
            "an output of the graph is not produced");
}

TEST(VerifyGraph, FindsANodeThatProducesAnInput) {
  Graph graph;
  const ValueId x = graph.AddInput("x", kPair);
  graph.AddNode("again", kRelu, {x}, {x});
  EXPECT_EQ(VerifyGraph(graph).message(),
            "node 'again' (Relu): produces 'x' again");
}

TEST(VerifyGraph, FindsASubgraphIdOutOfRange) {
  Graph graph;
  const ValueId c = graph.AddInput("c", ValueType::Of(DType::kBool, {}));
  graph.Add("branch", If{{0}, {1}}, {c});
  EXPECT_EQ(VerifyGraph(graph).message(),
            "node 'branch' (If): subgraph id out of range");
}

TEST(VerifyGraph, LooksIntoSubgraphs) {
  Graph graph;
  auto body = std::make_unique<Graph>();
  body->Add("y", kRelu, {ValueId{99}});
  graph.AddSubgraph(std::move(body));
  EXPECT_FALSE(VerifyGraph(graph).ok());
}

TEST(DumpGraph, ListsEverythingOnce) {
  Graph graph;
  const ValueId x = graph.AddInput(
      "x", ValueType::Of(DType::kFloat32, {graph.Symbol("batch"), 3}));
  const ValueId c = graph.AddInput("c", ValueType::Of(DType::kBool, {}));
  const ValueId w =
      graph.AddConstant("w", Tensor::Allocate(DType::kFloat32, {3, 5}).value());
  const ValueId h = graph.Add("h", Gemm{}, {x, w, kNoValue});
  auto body = std::make_unique<Graph>();
  body->MarkOutput(body->Add("r", kRelu, {body->AddInput("h", {})}));
  const SubgraphId id = graph.AddSubgraph(std::move(body));
  graph.MarkOutput(graph.Add("y", If{id, id}, {c, h, h}));
  ASSERT_TRUE(InferGraph(&graph).ok());
  EXPECT_EQ(DumpGraph(graph),
            "inputs %x: float32[batch,3], %c: bool[]\n"
            "constant %w: float32[3,5]\n"
            "%h: float32[batch,5] = "
            "Gemm{alpha=1 beta=1 transA=0 transB=0}(%x, %w, _)\n"
            "%y: ?[...] = If{then_branch=@0 else_branch=@0}(%c, %h, %h)\n"
            "outputs %y\n"
            "@0:\n"
            "  inputs %h: ?[...]\n"
            "  %r: ?[...] = Relu(%h)\n"
            "  outputs %r\n");
}

}  // namespace
}  // namespace stint
