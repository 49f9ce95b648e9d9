#include "engine/run/control_flow.h"

#include <gtest/gtest.h>

#include "core/platform/clock.h"
#include "core/tensor/element_access.h"
#include "engine/run/graph_runner.h"

namespace stint {
namespace {

const ValueType kFloat = ValueType::Of(DType::kFloat32, {});
const ValueType kPair = ValueType::Of(DType::kFloat32, {2});
const ValueType kBool = ValueType::Of(DType::kBool, {});
const ValueType kInt = ValueType::Of(DType::kInt64, {});
const Op kNeg = Unary{UnaryKind::kNeg};
const Op kAdd = Binary{BinaryKind::kAdd};

Result<std::vector<Value>> RunGraph(const Graph& graph,
                                    const std::vector<Value>& inputs,
                                    const RunLimits& limits = {}) {
  EXPECT_TRUE(VerifyGraph(graph).ok());
  ThreadPool pool(1);
  GraphRunner runner(&graph, {}, &pool);
  STINT_RETURN_IF_ERROR(runner.Prepare());
  return runner.Run(inputs, limits);
}

std::vector<float> FloatsOf(const Result<std::vector<Value>>& outputs,
                            size_t i = 0) {
  EXPECT_TRUE(outputs.ok()) << outputs.status().message();
  if (!outputs.ok()) return {};
  return ElementsAs<float>((*outputs)[i].tensor());
}

// y = c ? x + x : -x.
Graph MakeIf() {
  Graph graph;
  const ValueId c = graph.AddInput("c", kBool);
  const ValueId x = graph.AddInput("x", kPair);
  auto then_branch = std::make_unique<Graph>();
  const ValueId tx = then_branch->AddInput("x", kPair);
  then_branch->MarkOutput(then_branch->Add("t", kAdd, {tx, tx}));
  auto else_branch = std::make_unique<Graph>();
  const ValueId ex = else_branch->AddInput("x", kPair);
  else_branch->MarkOutput(else_branch->Add("e", kNeg, {ex}));
  const SubgraphId then_id = graph.AddSubgraph(std::move(then_branch));
  const SubgraphId else_id = graph.AddSubgraph(std::move(else_branch));
  graph.MarkOutput(graph.Add("y", If{then_id, else_id}, {c, x, x}));
  return graph;
}

TEST(If, TakesTheBranchOfItsCondition) {
  const Graph graph = MakeIf();
  const Tensor x = Tensor::Vector<float>({1, 2});
  EXPECT_EQ(FloatsOf(RunGraph(graph, {Tensor::Scalar(true), x})),
            (std::vector<float>{2, 4}));
  EXPECT_EQ(FloatsOf(RunGraph(graph, {Tensor::Scalar(false), x})),
            (std::vector<float>{-1, -2}));
}

TEST(If, ConditionMustBeOneBool) {
  const Graph graph = MakeIf();
  const auto outputs = RunGraph(graph, {Tensor::Vector<bool>({true, false}),
                                        Tensor::Vector<float>({1, 2})});
  EXPECT_EQ(outputs.status().message(),
            "node 'y' (If): the condition is not one bool");
}

// Body: sum += step; scan output: the sum before. Goes on while `go_on`.
std::unique_ptr<Graph> SumBody(bool go_on) {
  auto body = std::make_unique<Graph>();
  body->AddInput("i", kInt);
  body->AddInput("c", kBool);
  const ValueId sum = body->AddInput("sum", kFloat);
  const ValueId step = body->AddInput("step", kFloat);
  body->MarkOutput(body->AddConstant("go_on", Tensor::Scalar(go_on)));
  body->MarkOutput(body->Add("next", kAdd, {sum, step}));
  body->MarkOutput(sum);
  return body;
}

// Inputs: trips, step. Outputs: sum, sums.
Graph MakeLoop(bool limited, bool go_on) {
  Graph graph;
  const ValueId trips = graph.AddInput("trips", kInt);
  const ValueId step = graph.AddInput("step", kFloat);
  const ValueId zero = graph.AddConstant("zero", Tensor::Scalar(0.0f));
  const SubgraphId body = graph.AddSubgraph(SumBody(go_on));
  const ValueId sum = graph.AddValue("sum");
  const ValueId sums = graph.AddValue("sums");
  graph.AddNode("loop", Loop{body, 1},
                {limited ? trips : kNoValue, kNoValue, zero, step},
                {sum, sums});
  graph.MarkOutput(sum);
  graph.MarkOutput(sums);
  return graph;
}

TEST(Loop, CarriesValuesAndStacksScanOutputs) {
  const Graph graph = MakeLoop(/*limited=*/true, /*go_on=*/true);
  const auto outputs =
      RunGraph(graph, {Tensor::Scalar<int64_t>(4), Tensor::Scalar(2.0f)});
  EXPECT_EQ(FloatsOf(outputs, 0), std::vector<float>{8});
  EXPECT_EQ(FloatsOf(outputs, 1), (std::vector<float>{0, 2, 4, 6}));
}

TEST(Loop, EndsWhenTheBodySaysSo) {
  const Graph graph = MakeLoop(/*limited=*/false, /*go_on=*/false);
  const auto outputs =
      RunGraph(graph, {Tensor::Scalar<int64_t>(9), Tensor::Scalar(2.0f)});
  EXPECT_EQ(FloatsOf(outputs, 0), std::vector<float>{2});
}

TEST(Loop, WithoutTripsReturnsItsStart) {
  const Graph graph = MakeLoop(/*limited=*/true, /*go_on=*/true);
  const auto outputs =
      RunGraph(graph, {Tensor::Scalar<int64_t>(0), Tensor::Scalar(2.0f)});
  EXPECT_EQ(FloatsOf(outputs, 0), std::vector<float>{0});
  EXPECT_TRUE(FloatsOf(outputs, 1).empty());
}

TEST(Loop, WithoutEndStopsAtTheDeadline) {
  const Graph graph = MakeLoop(/*limited=*/false, /*go_on=*/true);
  const int64_t start = NowNs();
  const auto outputs =
      RunGraph(graph, {Tensor::Scalar<int64_t>(0), Tensor::Scalar(2.0f)},
               {.deadline_ns = start + 20'000'000});
  EXPECT_EQ(outputs.status().code(), StatusCode::kCancelled);
  EXPECT_LT(MsSince(start), 5000);
}

// Running sum of the rows of x [3,2] along axis 0.
Graph MakeScan(int64_t direction, int64_t output_axis) {
  Graph graph;
  const ValueId start = graph.AddInput("start", kPair);
  const ValueId x = graph.AddInput("x", ValueType::Of(DType::kFloat32, {3, 2}));
  auto body = std::make_unique<Graph>();
  const ValueId sum = body->AddInput("sum", kPair);
  const ValueId row = body->AddInput("row", kPair);
  const ValueId next = body->Add("next", kAdd, {sum, row});
  body->MarkOutput(next);
  body->MarkOutput(next);
  Scan scan;
  scan.body = graph.AddSubgraph(std::move(body));
  scan.num_scan_inputs = 1;
  scan.scan_input_directions = {direction};
  scan.scan_output_axes = {output_axis};
  const ValueId total = graph.AddValue("total");
  const ValueId sums = graph.AddValue("sums");
  graph.AddNode("scan", scan, {start, x}, {total, sums});
  graph.MarkOutput(total);
  graph.MarkOutput(sums);
  return graph;
}

const Tensor kRows =
    Tensor::FromVector<float>({3, 2}, {1, 10, 2, 20, 3, 30}).value();

TEST(Scan, WalksTheRows) {
  const auto outputs =
      RunGraph(MakeScan(0, 0), {Tensor::Vector<float>({0, 0}), kRows});
  EXPECT_EQ(FloatsOf(outputs, 0), (std::vector<float>{6, 60}));
  EXPECT_EQ(FloatsOf(outputs, 1), (std::vector<float>{1, 10, 3, 30, 6, 60}));
}

TEST(Scan, WalksBackwards) {
  const auto outputs =
      RunGraph(MakeScan(1, 0), {Tensor::Vector<float>({0, 0}), kRows});
  EXPECT_EQ(FloatsOf(outputs, 1), (std::vector<float>{3, 30, 5, 50, 6, 60}));
}

TEST(Scan, StacksAlongTheLastAxis) {
  const auto outputs =
      RunGraph(MakeScan(0, -1), {Tensor::Vector<float>({0, 0}), kRows});
  EXPECT_EQ(FloatsOf(outputs, 1), (std::vector<float>{1, 3, 6, 10, 30, 60}));
}

TEST(Scan, BodyThatDoesNotFitIsRefused) {
  Graph graph = MakeScan(0, 0);
  As<Scan>(&graph.node(graph.order()[0]).op)->num_scan_inputs = 3;
  const auto outputs = RunGraph(graph, {Tensor::Vector<float>({0, 0}), kRows});
  EXPECT_EQ(outputs.status().message(),
            "node 'scan' (Scan): the body's inputs and outputs do not fit");
}

}  // namespace
}  // namespace stint
