// Convolutional networks run on codes, in blocked and in plain images.

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "engine/elastic/elastic_runner.h"
#include "engine/run/step_choices.h"
#include "weights/store/elastic/shard_reader.h"
#include "weights/store/package_file.h"
#include "weights/testing/elastic_model.h"

namespace stint {
namespace {

// Convolutions with a stride, a border, a residual, a gate and one axis, all
// with a few weights far from the others; the first and the grouped one are too
// small or of another kind and stay in float32.
Package MakeNetwork() {
  Package package;
  package.graph = std::make_unique<Graph>();
  Graph& graph = *package.graph;
  const auto constant = [&](const std::string& name, Shape shape) {
    Tensor numbers = Numbers(shape, graph.num_values());
    for (int64_t i = 17; i < numbers.size(); i += 1001) {
      numbers.data<float>()[i] = i % 2 == 0 ? 1.5f : -1.2f;
    }
    return graph.AddConstant(name, std::move(numbers));
  };
  const auto conv = [&](const std::string& name, ValueId x, Shape weights,
                        const FusedConv& op, ValueId residual = kNoValue) {
    const ValueId bias = constant(name + ".b", {weights[0]});
    return graph.Add(name, op,
                     {x, constant(name + ".w", weights), bias, residual});
  };
  FusedConv same;
  same.pads = {1, 1, 1, 1};
  same.lo = 0;
  FusedConv half = same;
  half.strides = {2, 2};
  FusedConv groups = same;
  groups.group = 4;
  ValueId x =
      graph.AddInput("pixels", ValueType::Of(DType::kFloat32, {2, 3, 14, 14}));
  x = conv("first", x, {16, 3, 3, 3}, same);
  x = conv("half", x, {40, 16, 3, 3}, half);
  const ValueId before = x;
  x = conv("grouped", x, {40, 10, 3, 3}, groups);
  x = conv("narrow", x, {24, 40, 1, 1}, FusedConv{});
  x = conv("joined", x, {40, 24, 3, 3}, same, before);
  const ValueId gate = graph.Add("gate", Unary{UnaryKind::kSigmoid},
                                 {graph.Add("mean", GlobalAveragePool{}, {x})});
  x = graph.Add("gated", Binary{BinaryKind::kMul}, {x, gate});
  graph.MarkOutput(conv("after gate", x, {24, 40, 1, 1}, FusedConv{}));
  const ValueId line =
      graph.AddInput("line", ValueType::Of(DType::kFloat32, {2, 24, 30}));
  FusedConv one_axis;
  one_axis.pads = {2, 2};
  graph.MarkOutput(conv("line conv", line, {32, 24, 5}, one_axis));
  const Status status = InferGraph(&graph);
  EXPECT_TRUE(status.ok()) << status.message();
  return package;
}

class CodedConvolutions : public testing::Test {
 protected:
  using Outputs = std::vector<std::vector<float>>;

  void SetUp() override {
    path_ = WriteElastic(MakeNetwork(), SmallShards());
    package_ = ReadPackage(path_).value();
    inputs_ = {Numbers({2, 3, 14, 14}, 100), Numbers({2, 24, 30}, 101)};
  }

  static Outputs Floats(const std::vector<Value>& values) {
    Outputs outputs;
    for (const Value& value : values) {
      const Tensor& y = value.tensor();
      outputs.emplace_back(y.data<float>(), y.data<float>() + y.size());
    }
    return outputs;
  }

  Outputs RunBy(const std::string& policy, Isa isa = DetectIsa()) {
    ElasticRunOptions options;
    options.policy = policy;
    auto runner = ElasticRunner::Create(&package_, {isa, 2}, &pool_, options);
    EXPECT_TRUE(runner.ok()) << runner.status().message();
    std::vector<Value> outputs;
    const Status status = (*runner)->RunInto(inputs_, &outputs, {});
    EXPECT_TRUE(status.ok()) << status.message();
    report_ = (*runner)->Report();
    counts_ = (*runner)->Counts();
    on_codes_.clear();
    for (const StepChoice& step : StepChoicesOf(*(*runner)->program())) {
      if (step.reason == "codes") on_codes_.insert(step.node);
    }
    return Floats(outputs);
  }

  // In float32, on weights restored at the highest fidelity.
  Outputs Expected() {
    Package package = ReadPackage(path_).value();
    EXPECT_TRUE(RestoreShards(*package.shards, package.graph.get()).ok());
    GraphRunner runner(package.graph.get(), {DetectIsa(), 2}, &pool_);
    EXPECT_TRUE(runner.Prepare().ok());
    return Floats(runner.Run(inputs_).value());
  }

  static double RelativeError(const std::vector<float>& a,
                              const std::vector<float>& b) {
    EXPECT_EQ(a.size(), b.size());
    double error = 0, energy = 0;
    for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
      error += std::pow(double{a[i]} - double{b[i]}, 2);
      energy += std::pow(double{a[i]}, 2);
    }
    return std::sqrt(error / energy);
  }

  ThreadPool pool_{2};
  std::string path_;
  Package package_;
  std::vector<Value> inputs_;
  PlanReport report_;
  BudgetCounts counts_;
  std::set<std::string> on_codes_;  // nodes
};

TEST_F(CodedConvolutions, GiveWhatTheirWeightsWouldGive) {
  const Outputs expected = Expected();
  for (Isa cap : {Isa::kBaseline, Isa::kAvx2, Isa::kVnni, Isa::kAmx}) {
    const Outputs found = RunBy("resident:8", DetectIsa(cap));
    ASSERT_EQ(found.size(), 2u);
    for (size_t i = 0; i < 2; ++i) {
      // Activations have 8 bits.
      EXPECT_LT(RelativeError(expected[i], found[i]), 0.02) << i;
      EXPECT_GT(RelativeError(expected[i], found[i]), 0) << i;
    }
  }
}

// Also where another one of their layer does not.
TEST_F(CodedConvolutions, RunOnCodesButForThoseOfGroups) {
  RunBy("resident:8");
  EXPECT_EQ(on_codes_, (std::set<std::string>{"half", "narrow", "joined",
                                              "after gate", "line conv"}));
}

TEST_F(CodedConvolutions, FewerBitsGiveWhatThoseBitsWouldGive) {
  double before = 0;
  const Outputs expected = Expected();
  for (const char* policy : {"resident:8", "resident:4", "resident:2"}) {
    const double error = RelativeError(expected[0], RunBy(policy)[0]);
    EXPECT_GT(error, before) << policy;
    EXPECT_LT(error, 0.7) << policy;
    before = error;
  }
}

TEST_F(CodedConvolutions, StreamedOrPinnedTheAnswerIsTheSame) {
  const Outputs pinned = RunBy("resident:3");
  EXPECT_EQ(report_.stream_bytes, 0);
  EXPECT_GT(report_.preload_bytes, 0);
  const Outputs streamed = RunBy("pipeline:3");
  EXPECT_GT(report_.stream_bytes, 0);
  EXPECT_GE(counts_.bytes_read, report_.stream_bytes);
  EXPECT_EQ(pinned, streamed);
}

}  // namespace
}  // namespace stint
