#include "engine/run/graph_runner.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "core/base/random.h"
#include "core/platform/clock.h"
#include "core/tensor/element_access.h"

namespace stint {
namespace {

const Op kRelu = Unary{UnaryKind::kRelu};
const Op kNeg = Unary{UnaryKind::kNeg};
const Op kAdd = Binary{BinaryKind::kAdd};
const Op kMul = Binary{BinaryKind::kMul};

ValueType Floats(Shape dims) {
  return ValueType::Of(DType::kFloat32, std::move(dims));
}

// A graph that is ready to run, on one thread.
class Runnable {
 public:
  explicit Runnable(const Graph& graph, int threads = 1)
      : pool_(threads), runner_(&graph, {}, &pool_) {
    const Status status = runner_.Prepare();
    EXPECT_TRUE(status.ok()) << status.message();
  }
  // The outputs as floats.
  std::vector<std::vector<float>> Run(const std::vector<Value>& inputs) {
    const auto outputs = runner_.Run(inputs);
    EXPECT_TRUE(outputs.ok()) << outputs.status().message();
    std::vector<std::vector<float>> lists;
    if (!outputs.ok()) return lists;
    for (const Value& value : *outputs) {
      lists.push_back(ElementsAs<float>(value.tensor()));
    }
    return lists;
  }
  GraphRunner& runner() { return runner_; }

 private:
  ThreadPool pool_;
  GraphRunner runner_;
};

using Lists = std::vector<std::vector<float>>;

TEST(GraphRunner, KnowsWhichShapesAreBound) {
  Graph graph;
  const ValueId x = graph.AddInput("x", Floats({-1}));
  graph.MarkOutput(graph.Add("y", kNeg, {x}));
  Runnable runnable(graph);
  const std::vector<Value> two = {Tensor::Vector<float>({1, 2})};
  const std::vector<Value> three = {Tensor::Vector<float>({1, 2, 3})};
  EXPECT_FALSE(runnable.runner().IsBound(two));
  runnable.Run(two);
  EXPECT_TRUE(runnable.runner().IsBound(two));
  EXPECT_FALSE(runnable.runner().IsBound(three));
  runnable.runner().set_max_programs(1);
  runnable.Run(three);
  EXPECT_FALSE(runnable.runner().IsBound(two));
}

TEST(GraphRunner, CountsTheMemoryOfSharedActivationsOnce) {
  Graph graph;
  const ValueId x = graph.AddInput("x", Floats({-1}));
  graph.MarkOutput(graph.Add("y", kNeg, {x}));
  Runnable runnable(graph);
  const auto memory = [&] { return runnable.runner().BoundMemory(); };
  EXPECT_EQ(memory().activation_bytes, 0);
  runnable.Run({Tensor::Vector(std::vector<float>(5000))});
  const auto one = memory();
  EXPECT_GE(one.activation_bytes, 20000);
  EXPECT_LT(one.activation_bytes, 21000);
  runnable.Run({Tensor::Vector(std::vector<float>(100))});
  EXPECT_EQ(memory().activation_bytes, one.activation_bytes);
  EXPECT_GT(memory().step_bytes, one.step_bytes);
}

TEST(GraphRunner, RunsNodesInOrder) {
  Graph graph;
  const ValueId x = graph.AddInput("x", Floats({2}));
  const ValueId w = graph.AddConstant("w", Tensor::Vector<float>({10, 20}));
  graph.MarkOutput(graph.Add("y", kAdd, {graph.Add("n", kNeg, {x}), w}));
  EXPECT_EQ(Runnable(graph).Run({Tensor::Vector<float>({1, 2})}),
            (Lists{{9, 18}}));
}

TEST(GraphRunner, BindsAgainForEveryShape) {
  Graph graph;
  const int64_t n = graph.Symbol("n");
  const ValueId x = graph.AddInput("x", Floats({n}));
  graph.MarkOutput(graph.Add("y", kAdd, {x, graph.Add("r", kRelu, {x})}));
  Runnable runnable(graph);
  EXPECT_EQ(runnable.Run({Tensor::Vector<float>({1, -2})}), (Lists{{2, -2}}));
  EXPECT_EQ(runnable.Run({Tensor::Vector<float>({3})}), (Lists{{6}}));
  EXPECT_EQ(runnable.Run({Tensor::Vector<float>({})}), (Lists{{}}));
  EXPECT_EQ(runnable.Run({Tensor::Vector<float>({1, -2})}), (Lists{{2, -2}}));
}

TEST(GraphRunner, ShapesThatTakeTurnsShareMemoryAndNotContents) {
  Graph graph;
  const ValueId x = graph.AddInput("x", Floats({graph.Symbol("n")}));
  const ValueId y = graph.Add("a", kNeg, {x});
  graph.MarkOutput(graph.Add("b", kMul, {y, graph.Add("c", kNeg, {y})}));
  Runnable run(graph);
  std::set<const void*> arenas;
  for (int64_t n : {30, 80, 50, 20, 80, 30, 70}) {
    const std::vector<float> values(static_cast<size_t>(n),
                                    static_cast<float>(n));
    EXPECT_EQ(
        run.Run({Tensor::Vector<float>(values)}),
        (Lists{std::vector<float>(values.size(), static_cast<float>(-n * n))}));
    run.runner().VisitSteps([&](const Node& node, const Step& step) {
      if (node.name == "c") arenas.insert(step.ctx.in(0).raw());
    });
  }
  // That of 30, and that of 80 for all that came after it.
  EXPECT_EQ(arenas.size(), 2u);
}

TEST(GraphRunner, BindsAgainForEveryElementType) {
  Graph graph;
  const ValueId x = graph.AddInput("x", {});
  graph.MarkOutput(graph.Add("y", kAdd, {x, x}));
  Runnable runnable(graph);
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(runnable.Run({Tensor::Vector<float>({1.5f})}), (Lists{{3}}));
    EXPECT_EQ(runnable.Run({Tensor::Vector<int64_t>({7})}), (Lists{{14}}));
  }
}

// A kernel chosen for one rank must not run another.
TEST(GraphRunner, BindsAgainForEveryRank) {
  Graph graph;
  const ValueId a = graph.AddInput("a", ValueType::Of(DType::kFloat32));
  const ValueId w = graph.AddConstant(
      "w", Tensor::FromVector<float>({2, 1}, {1, 10}).value());
  graph.MarkOutput(graph.Add("y", MatMul{}, {a, w}));
  Runnable runnable(graph);
  const Tensor matrix = Tensor::FromVector<float>({2, 2}, {1, 2, 3, 4}).value();
  EXPECT_EQ(runnable.Run({matrix}), (Lists{{21, 43}}));
  EXPECT_EQ(runnable.Run({Tensor::Vector<float>({5, 6})}), (Lists{{65}}));
  EXPECT_EQ(runnable.Run({matrix}), (Lists{{21, 43}}));
}

TEST(GraphRunner, FollowsShapesThatDependOnData) {
  Graph graph;
  const ValueId x = graph.AddInput("x", Floats({4}));
  const ValueId shape =
      graph.AddInput("shape", ValueType::Of(DType::kInt64, {2}));
  const ValueId r = graph.Add("r", Reshape{}, {x, shape});
  const ValueId t = graph.Add("t", Transpose{}, {r});
  graph.MarkOutput(graph.Add("y", kAdd, {t, t}));
  Runnable runnable(graph);
  const Tensor values = Tensor::Vector<float>({1, 2, 3, 4});
  EXPECT_EQ(runnable.Run({values, Tensor::Vector<int64_t>({2, 2})}),
            (Lists{{2, 6, 4, 8}}));
  EXPECT_EQ(runnable.Run({values, Tensor::Vector<int64_t>({1, 4})}),
            (Lists{{2, 4, 6, 8}}));
}

TEST(GraphRunner, ErrorOfAStepNamesItsNode) {
  Graph graph;
  const ValueId x = graph.AddInput("x", Floats({4}));
  const ValueId shape =
      graph.AddInput("shape", ValueType::Of(DType::kInt64, {1}));
  graph.MarkOutput(graph.Add("r", Reshape{}, {x, shape}));
  Runnable runnable(graph);
  const auto outputs = runnable.runner().Run(
      {Tensor::Vector<float>({1, 2, 3, 4}), Tensor::Vector<int64_t>({3})});
  EXPECT_EQ(outputs.status().message(),
            "node 'r' (Reshape): cannot reshape [4] to [3]");
}

TEST(GraphRunner, WrongShapeOfAnInputNamesTheNodeThatMinds) {
  Graph graph;
  const ValueId x = graph.AddInput("x", Floats({2}));
  const ValueId w = graph.AddConstant("w", Tensor::Vector<float>({1, 2}));
  graph.MarkOutput(graph.Add("sum", kAdd, {x, w}));
  Runnable runnable(graph);
  EXPECT_EQ(runnable.runner()
                .Run({Tensor::Vector<float>({1, 2, 3})})
                .status()
                .message(),
            "node 'sum' (Add): shapes [3] and [2] do not broadcast");
}

TEST(GraphRunner, WrongNumberOfInputsStatesBoth) {
  Graph graph;
  graph.MarkOutput(graph.Add("y", kRelu, {graph.AddInput("x", Floats({1}))}));
  Runnable runnable(graph);
  EXPECT_EQ(runnable.runner().Run({}).status().message(),
            "the graph takes 1 inputs, got 0");
}

// The view shares the memory of `a`, which is read again after the view's last
// reader, while later steps ask for memory.
TEST(GraphRunner, ViewsKeepTheirSourceAlive) {
  Graph graph;
  const ValueId x = graph.AddInput("x", Floats({2, 2}));
  const ValueId a = graph.Add("a", kNeg, {x});
  const ValueId shape =
      graph.AddConstant("shape", Tensor::Vector<int64_t>({4}));
  const ValueId view = graph.Add("view", Reshape{}, {a, shape});
  const ValueId b = graph.Add("b", kMul, {view, view});
  const ValueId c = graph.Add("c", kAdd, {b, b});
  graph.MarkOutput(graph.Add("d", kAdd, {a, x}));
  graph.MarkOutput(c);
  graph.MarkOutput(view);
  EXPECT_EQ(Runnable(graph).Run(
                {Tensor::FromVector<float>({2, 2}, {1, 2, 3, 4}).value()}),
            (Lists{{0, 0, 0, 0}, {2, 8, 18, 32}, {-1, -2, -3, -4}}));
}

TEST(GraphRunner, ViewOfAnInputIsTheInput) {
  Graph graph;
  const ValueId x = graph.AddInput("x", Floats({2, 2}));
  graph.MarkOutput(graph.Add("y", Flatten{0}, {x}));
  graph.MarkOutput(x);
  EXPECT_EQ(Runnable(graph).Run(
                {Tensor::FromVector<float>({2, 2}, {1, 2, 3, 4}).value()}),
            (Lists{{1, 2, 3, 4}, {1, 2, 3, 4}}));
}

TEST(GraphRunner, OutputsSurviveTheNextRun) {
  Graph graph;
  graph.MarkOutput(graph.Add("y", kNeg, {graph.AddInput("x", Floats({1}))}));
  Runnable runnable(graph);
  const auto first = runnable.runner().Run({Tensor::Vector<float>({1})});
  ASSERT_TRUE(runnable.runner().Run({Tensor::Vector<float>({2})}).ok());
  EXPECT_EQ((*first)[0].tensor().data<float>()[0], -1);
}

TEST(GraphRunner, SequencesKeepTheirElementsWhenTheArenaIsReused) {
  Graph graph;
  const ValueId x = graph.AddInput("x", Floats({2}));
  const ValueId held = graph.Add("held", kNeg, {x});
  const ValueId sequence = graph.Add("sequence", SequenceConstruct{}, {held});
  ValueId y = graph.Add("first", kAdd, {x, x});
  for (int i = 0; i < 4; ++i) {
    y = graph.Add("next" + std::to_string(i), kAdd, {y, x});
  }
  const ValueId zero = graph.AddConstant("zero", Tensor::Scalar<int64_t>(0));
  graph.MarkOutput(graph.Add("taken", SequenceAt{}, {sequence, zero}));
  graph.MarkOutput(y);
  Runnable runnable(graph);
  EXPECT_EQ(runnable.Run({Tensor::Vector<float>({1, 2})}),
            (Lists{{-1, -2}, {6, 12}}));
}

TEST(GraphRunner, ConstantsAloneAreFoldedOnce) {
  Graph graph;
  const ValueId w = graph.AddConstant("w", Tensor::Vector<float>({1, 2}));
  graph.MarkOutput(graph.Add("y", kAdd, {w, w}));
  Runnable runnable(graph);
  EXPECT_EQ(runnable.Run({}), (Lists{{2, 4}}));
  EXPECT_EQ(runnable.runner().CostFor({}).value().steps, 0);
}

TEST(GraphRunner, SameInputGivesTheSameBits) {
  Graph graph;
  const ValueId x = graph.AddInput("x", Floats({33, 65}));
  Random random(9);
  std::vector<float> weights(65 * 47);
  for (float& w : weights) w = static_cast<float>(random.NextNormal());
  const ValueId w = graph.AddConstant(
      "w", Tensor::FromVector<float>({65, 47}, weights).value());
  const ValueId product = graph.Add("p", MatMul{}, {x, w});
  graph.MarkOutput(graph.Add("y", Softmax{}, {product}));
  std::vector<float> input(33 * 65);
  for (float& v : input) v = static_cast<float>(random.NextNormal());
  const Tensor tensor = Tensor::FromVector<float>({33, 65}, input).value();
  Runnable one(graph, 3);
  Runnable other(graph, 3);
  const Lists first = one.Run({tensor});
  for (int round = 0; round < 5; ++round) {
    EXPECT_EQ(one.Run({tensor}), first);
    EXPECT_EQ(other.Run({tensor}), first);
  }
}

TEST(GraphRunner, CancelledRunStops) {
  Graph graph;
  graph.MarkOutput(graph.Add("y", kNeg, {graph.AddInput("x", Floats({1}))}));
  Runnable runnable(graph);
  std::atomic<bool> cancel{true};
  const std::vector<Value> inputs = {Tensor::Vector<float>({1})};
  EXPECT_EQ(runnable.runner().Run(inputs, {.cancel = &cancel}).status().code(),
            StatusCode::kCancelled);
  cancel = false;
  EXPECT_TRUE(runnable.runner().Run(inputs, {.cancel = &cancel}).ok());
}

TEST(GraphRunner, RunPastItsDeadlineStops) {
  Graph graph;
  graph.MarkOutput(graph.Add("y", kNeg, {graph.AddInput("x", Floats({1}))}));
  Runnable runnable(graph);
  const Status status =
      runnable.runner()
          .Run({Tensor::Vector<float>({1})}, {.deadline_ns = NowNs() - 1})
          .status();
  EXPECT_EQ(status.message(), "the run missed its deadline");
}

}  // namespace
}  // namespace stint
