#pragma once
// Small convolutional networks for the tests of compression.

#include <gtest/gtest.h>

#include "core/testing/random_tensor.h"
#include "engine/run/graph_runner.h"

namespace stint {

// A graph under construction; weights are seeded by the order of layers.
struct SmallNetwork {
  explicit SmallNetwork(int64_t channels, int64_t size = 6) {
    const int64_t batch = graph.Symbol("batch");
    x = graph.AddInput(
        "x", ValueType::Of(DType::kFloat32, {batch, channels, size, size}));
  }

  ValueId Convolve(ValueId in, Shape weights, Conv op = {}) {
    const std::string name = "conv" + std::to_string(++layers);
    const auto seed = static_cast<uint64_t>(layers);
    const int64_t outputs = weights[0];
    op.kernel_shape = {weights[2], weights[3]};
    if (weights[2] == 3) op.pads = {1, 1, 1, 1};
    const ValueId w =
        graph.AddConstant(name + ".w", RandomTensor(weights, seed));
    const ValueId b =
        graph.AddConstant(name + ".b", RandomTensor({outputs}, seed + 100));
    return graph.Add(name, op, {in, w, b});
  }
  ValueId Relu(ValueId in) {
    return graph.Add("relu" + std::to_string(graph.num_nodes()),
                     Unary{UnaryKind::kRelu}, {in});
  }
  ValueId Sum(ValueId a, ValueId b) {
    return graph.Add("sum" + std::to_string(graph.num_nodes()),
                     Binary{BinaryKind::kAdd}, {a, b});
  }
  // [batch, channels, size, size] to [batch, classes].
  ValueId Classify(ValueId in, int64_t features, int64_t classes) {
    const ValueId flat = graph.Add("flat", Flatten{}, {in});
    return graph.Add(
        "linear", Gemm{},
        {flat,
         graph.AddConstant("linear.w", RandomTensor({features, classes}, 77)),
         graph.AddConstant("linear.b", RandomTensor({classes}, 78))});
  }
  void Finish(ValueId out) {
    graph.MarkOutput(out);
    const Status status = InferGraph(&graph);
    ASSERT_TRUE(status.ok()) << status.message();
  }

  Node& At(const std::string& name) {
    for (NodeId id : graph.order()) {
      if (graph.node(id).name == name) return graph.node(id);
    }
    ADD_FAILURE() << "no node " << name;
    return graph.node(graph.order()[0]);
  }
  Tensor& Constant(const std::string& node, size_t input) {
    return *graph.value(At(node).inputs[input]).constant;
  }
  // Outputs of a layer become 0 for these channels.
  void Silence(const std::string& layer, const std::vector<int64_t>& channels) {
    Tensor& w = Constant(layer, 1);
    const int64_t row = w.size() / w.dim(0);
    for (int64_t channel : channels) {
      std::fill_n(w.data<float>() + channel * row, row, 0.0f);
      Constant(layer, 2).data<float>()[channel] = 0;
    }
  }

  Graph graph;
  ValueId x;
  int layers = 0;
};

inline std::vector<float> RunGraph(const Graph& graph, const Tensor& input) {
  ThreadPool pool(1);
  GraphRunner runner(&graph, KernelSite{}, &pool);
  const Status prepared = runner.Prepare();
  EXPECT_TRUE(prepared.ok()) << prepared.message();
  std::vector<Value> outputs;
  const std::vector<Value> inputs = {Value(input)};
  const Status status = runner.RunInto(inputs, &outputs);
  EXPECT_TRUE(status.ok()) << status.message();
  if (!status.ok()) return {};
  const Tensor& y = outputs[0].tensor();
  return {y.data<float>(), y.data<float>() + y.size()};
}

inline void ExpectNear(const std::vector<float>& found,
                       const std::vector<float>& expected, float tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    ASSERT_NEAR(found[i], expected[i], tolerance) << "element " << i;
  }
}

// conv2 and conv3 are a branch that is added to what conv1 makes; conv4 reads
// the sum.
inline SmallNetwork ResidualNetwork() {
  SmallNetwork net(3);
  const ValueId a = net.Relu(net.Convolve(net.x, {16, 3, 3, 3}));
  const ValueId b = net.Relu(net.Convolve(a, {16, 16, 3, 3}));
  const ValueId c = net.Relu(net.Sum(a, net.Convolve(b, {16, 16, 3, 3})));
  net.Finish(net.Convolve(c, {10, 16, 1, 1}));
  return net;
}

}  // namespace stint
