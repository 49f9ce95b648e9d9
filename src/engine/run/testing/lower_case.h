#pragma once
// A graph for tests of lowering: its lowered form and what that computes.

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "engine/lower/lower_graph.h"
#include "engine/run/graph_runner.h"

namespace stint {

inline Tensor Numbers(const Shape& shape) {
  Tensor tensor = Tensor::Allocate(DType::kFloat32, shape).value();
  for (int64_t i = 0; i < tensor.size(); ++i) {
    tensor.data<float>()[i] = static_cast<float>((i * 37) % 11) * 0.1f - 0.5f;
  }
  return tensor;
}

struct LowerCase {
  explicit LowerCase(Shape dims) {
    x = graph.AddInput("x", ValueType::Of(DType::kFloat32, std::move(dims)));
  }
  ValueId Conv3x3(ValueId in, int64_t from, int64_t to, int64_t group = 1) {
    FusedConv conv;
    conv.pads = {1, 1, 1, 1};
    conv.group = group;
    return graph.Add(
        "conv", conv,
        {in, graph.AddConstant("w", Numbers({to, from / group, 3, 3}))});
  }
  // The ops of the lowered graph; its answer is that of the graph as it was.
  std::string Lowered(const Shape& shape) {
    EXPECT_TRUE(InferGraph(&graph).ok());
    const KernelSite site{DetectIsa(), 1};
    const auto lowered = LowerGraph(graph, site);
    EXPECT_TRUE(lowered.ok()) << lowered.status().message();
    ThreadPool pool(1);
    std::vector<Value> answers[2];
    const Graph* graphs[] = {&graph, lowered->get()};
    for (int i = 0; i < 2; ++i) {
      GraphRunner runner(graphs[i], site, &pool);
      EXPECT_TRUE(runner.Prepare().ok());
      const auto outputs = runner.Run({Value(Numbers(shape))});
      EXPECT_TRUE(outputs.ok()) << outputs.status().message();
      if (outputs.ok()) answers[i] = *outputs;
    }
    for (size_t i = 0; i < answers[0].size(); ++i) {
      const Tensor& want = answers[0][i].tensor();
      const Tensor& got = answers[1][i].tensor();
      EXPECT_EQ(want.shape(), got.shape());
      for (int64_t j = 0; j < want.size(); ++j) {
        const float expected = want.data<float>()[j];
        EXPECT_NEAR(expected, got.data<float>()[j],
                    1e-3 + 1e-4 * std::fabs(expected));
      }
    }
    std::string names;
    for (NodeId id : (*lowered)->order()) {
      if (!names.empty()) names += ' ';
      names += OpName((*lowered)->node(id).op);
    }
    return names;
  }

  // The first output of the lowered graph at this site.
  std::vector<float> Answer(const KernelSite& site, const Shape& shape) {
    EXPECT_TRUE(InferGraph(&graph).ok());
    const auto lowered = LowerGraph(graph, site);
    EXPECT_TRUE(lowered.ok()) << lowered.status().message();
    if (!lowered.ok()) return {};
    ThreadPool pool(site.threads);
    GraphRunner runner(lowered->get(), site, &pool);
    EXPECT_TRUE(runner.Prepare().ok());
    const auto outputs = runner.Run({Value(Numbers(shape))});
    EXPECT_TRUE(outputs.ok()) << outputs.status().message();
    if (!outputs.ok()) return {};
    const Tensor& y = (*outputs)[0].tensor();
    return {y.data<float>(), y.data<float>() + y.size()};
  }

  Graph graph;
  ValueId x;
};

}  // namespace stint
