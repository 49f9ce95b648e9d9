#pragma once
// Small graphs for the tests of passes.

#include <gtest/gtest.h>

#include <cmath>

#include "convert/passes/pipeline.h"
#include "engine/run/graph_runner.h"

namespace stint {

// A graph under construction with one float input "x".
struct PassCase {
  explicit PassCase(Shape dims) {
    x = graph.AddInput("x", ValueType::Of(DType::kFloat32, std::move(dims)));
  }

  ValueId Scalar(float value) {
    return graph.AddConstant("scalar", Tensor::Scalar(value));
  }
  // Seeded numbers in [0.5, 1.5): fit for variances, too.
  ValueId Weights(const Shape& shape, uint32_t seed = 1) {
    Tensor tensor = Tensor::Allocate(DType::kFloat32, shape).value();
    for (int64_t i = 0; i < tensor.size(); ++i) {
      seed = seed * 1664525 + 1013904223;
      tensor.data<float>()[i] =
          0.5f + static_cast<float>(seed >> 8) / (1 << 24);
    }
    return graph.AddConstant("weights", std::move(tensor));
  }
  ValueId Ints(const std::vector<int64_t>& values) {
    return graph.AddConstant("ints", Tensor::Vector(values));
  }
  ValueId Add(Op op, std::vector<ValueId> inputs) {
    return graph.Add("n" + std::to_string(graph.num_nodes()), std::move(op),
                     std::move(inputs));
  }
  void Output(ValueId value) {
    graph.MarkOutput(value);
    ASSERT_TRUE(InferGraph(&graph).ok());
  }

  // The names of the ops in order: "FusedConv Add".
  std::string Ops() const {
    std::string names;
    for (NodeId id : graph.order()) {
      if (!names.empty()) names += ' ';
      names += OpName(graph.node(id).op);
    }
    return names;
  }

  // Elements of the first output for an input of seeded numbers.
  std::vector<float> Run(const Shape& shape) const {
    ThreadPool pool(1);
    GraphRunner runner(&graph, KernelSite{}, &pool);
    EXPECT_TRUE(runner.Prepare().ok());
    Tensor input = Tensor::Allocate(DType::kFloat32, shape).value();
    for (int64_t i = 0; i < input.size(); ++i) {
      input.data<float>()[i] =
          static_cast<float>((i * 37 + 11) % 101) / 25.0f - 2.0f;
    }
    const auto outputs = runner.Run({Value(input)});
    EXPECT_TRUE(outputs.ok()) << outputs.status().message();
    if (!outputs.ok()) return {};
    const Tensor& y = (*outputs)[0].tensor();
    return std::vector<float>(y.data<float>(), y.data<float>() + y.size());
  }

  // Runs every pass, expects these ops and the same answer as before.
  void ExpectOptimized(const std::string& ops, const Shape& shape) {
    const std::vector<float> before = Run(shape);
    const auto reports = RunPasses(&graph);
    ASSERT_TRUE(reports.ok()) << reports.status().message();
    EXPECT_EQ(Ops(), ops);
    const std::vector<float> after = Run(shape);
    ASSERT_EQ(before.size(), after.size());
    for (size_t i = 0; i < after.size(); ++i) {
      ASSERT_NEAR(before[i], after[i], 2e-5f * (1 + std::fabs(before[i]))) << i;
    }
  }

  Graph graph;
  ValueId x;
};

}  // namespace stint
