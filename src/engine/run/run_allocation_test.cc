// A run with shapes seen before allocates nothing. Counts every operator new of
// this test program.

#include <gtest/gtest.h>

#include "core/testing/count_allocations.h"
#include "engine/lower/lower_graph.h"
#include "engine/run/graph_runner.h"

namespace stint {
namespace {

Tensor Numbers(const Shape& shape) {
  Tensor tensor = Tensor::Allocate(DType::kFloat32, shape).value();
  for (int64_t i = 0; i < tensor.size(); ++i) {
    tensor.data<float>()[i] = static_cast<float>(i % 7) * 0.25f - 0.5f;
  }
  return tensor;
}

// A transformer layer on [batch, length, 32] with two heads.
void BuildLayer(Graph* graph) {
  const ValueId x = graph->AddInput(
      "x", ValueType::Of(DType::kFloat32, {graph->Symbol("batch"),
                                           graph->Symbol("length"), 32}));
  const auto weight = [&](const Shape& shape) {
    return graph->AddConstant("w", Numbers(shape));
  };
  const ValueId qkv =
      graph->Add("qkv", FusedLinear{},
                 {x, kNoValue, weight({32, 32}), weight({32}), weight({32, 32}),
                  weight({32}), weight({32, 32}), kNoValue});
  const ValueId attended = graph->Add("attention", FusedAttention{2, 0.25f},
                                      {qkv, kNoValue, kNoValue, kNoValue});
  const ValueId projected = graph->Add(
      "projection", FusedLinear{}, {attended, x, weight({32, 32}), kNoValue});
  const ValueId normed = graph->Add("norm", LayerNormalization{},
                                    {projected, weight({32}), weight({32})});
  FusedLinear gelu;
  gelu.activation = "gelu";
  const ValueId inner = graph->Add(
      "inner", gelu, {normed, kNoValue, weight({32, 64}), weight({64})});
  const ValueId scaled =
      graph->Add("scaled", Binary{BinaryKind::kMul}, {inner, weight({64})});
  graph->MarkOutput(scaled);
}

// A few layers on [batch, 3, 12, 12].
void BuildConvolutions(Graph* graph) {
  const ValueId x = graph->AddInput(
      "x", ValueType::Of(DType::kFloat32, {graph->Symbol("batch"), 3, 12, 12}));
  FusedConv conv;
  conv.pads = {1, 1, 1, 1};
  conv.lo = 0;
  const auto weight = [&](const Shape& shape) {
    return graph->AddConstant("w", Numbers(shape));
  };
  const ValueId first =
      graph->Add("first", conv, {x, weight({32, 3, 3, 3}), weight({32})});
  const ValueId second = graph->Add(
      "second", conv, {first, weight({32, 32, 3, 3}), weight({32}), first});
  MaxPool pool;
  pool.kernel_shape = {2, 2};
  pool.strides = {2, 2};
  const ValueId pooled = graph->Add("pool", pool, {second});
  graph->MarkOutput(graph->Add("mean", GlobalAveragePool{}, {pooled}));
}

void ExpectNoAllocation(void (*build)(Graph*), const std::vector<Shape>& shapes,
                        Precision precision = Precision::kFloat32) {
  for (int threads : {1, 2}) {
    Graph graph;
    build(&graph);
    ASSERT_TRUE(InferGraph(&graph).ok());
    const KernelSite site{DetectIsa(), threads, precision};
    const auto lowered = LowerGraph(graph, site);
    ASSERT_TRUE(lowered.ok()) << lowered.status().message();
    ThreadPool pool(threads);
    GraphRunner runner(lowered->get(), site, &pool);
    ASSERT_TRUE(runner.Prepare().ok());
    for (const Shape& shape : shapes) {
      const std::vector<Value> inputs = {Value(Numbers(shape))};
      std::vector<Value> outputs;
      ASSERT_TRUE(runner.RunInto(inputs, &outputs).ok());
      const int64_t before = allocations.load();
      for (int i = 0; i < 3; ++i) {
        ASSERT_TRUE(runner.RunInto(inputs, &outputs).ok());
      }
      EXPECT_EQ(allocations.load() - before, 0) << threads << " threads";
    }
  }
}

TEST(RunAllocation, CountsWhatIsAllocated) {
  const int64_t before = allocations.load();
  const auto one = std::make_unique<std::string>(100, 'x');
  EXPECT_EQ(allocations.load() - before, 2);
}

TEST(RunAllocation, ATransformerLayerAllocatesNothing) {
  for (Precision precision :
       {Precision::kFloat32, Precision::kBFloat16, Precision::kInt8}) {
    ExpectNoAllocation(BuildLayer, {{1, 16, 32}, {2, 5, 32}}, precision);
  }
}

TEST(RunAllocation, ConvolutionsAllocateNothing) {
  for (Precision precision : {Precision::kFloat32, Precision::kBFloat16}) {
    ExpectNoAllocation(BuildConvolutions, {{1, 3, 12, 12}, {2, 3, 12, 12}},
                       precision);
  }
}

TEST(GraphRunner, NullKernelsTakeTheStepsAndComputeNothing) {
  Graph graph;
  BuildLayer(&graph);
  ASSERT_TRUE(InferGraph(&graph).ok());
  ThreadPool pool(2);
  GraphRunner runner(&graph, {DetectIsa(), 2}, &pool);
  ASSERT_TRUE(runner.Prepare().ok());
  struct Counter : StepObserver {
    void OnStep(const Node&, int64_t start_ns, int64_t end_ns) override {
      ++steps;
      EXPECT_LE(start_ns, end_ns);
    }
    int steps = 0;
  } counter;
  runner.set_observer(&counter);
  runner.set_null_kernels(true);
  const auto outputs = runner.Run({Value(Numbers({1, 4, 32}))});
  ASSERT_TRUE(outputs.ok());
  EXPECT_EQ(counter.steps, 6);
  EXPECT_EQ((*outputs)[0].tensor().data<float>()[0], 0.0f);
  runner.set_null_kernels(false);
  const auto real = runner.Run({Value(Numbers({1, 4, 32}))});
  ASSERT_TRUE(real.ok());
  EXPECT_NE((*real)[0].tensor().data<float>()[0], 0.0f);
}

}  // namespace
}  // namespace stint
