// Precision::kAuto: what it chooses follows from what it measured, and its
// answers are those of the precision it names.

#include <gtest/gtest.h>

#include <algorithm>

#include "core/testing/random_tensor.h"
#include "stint/session.h"
#include "weights/package/package.h"

namespace stint {
namespace {

Model TwoLinears() {
  auto package = std::make_shared<Package>();
  package->graph = std::make_unique<Graph>();
  Graph& graph = *package->graph;
  ValueId x = graph.AddInput("x", ValueType::Of(DType::kFloat32, {8, 64}));
  for (uint64_t i = 0; i < 2; ++i) {
    const std::string name = "linear" + std::to_string(i);
    x = graph.Add(
        name, FusedLinear{},
        {x, kNoValue, graph.AddConstant(name + ".w", RandomTensor({64, 64}, i)),
         graph.AddConstant(name + ".b", RandomTensor({64}, i + 5))});
  }
  graph.MarkOutput(x);
  EXPECT_TRUE(InferGraph(&graph).ok());
  return Model(package);
}

std::vector<float> Answer(Session* session) {
  std::vector<Value> outputs;
  EXPECT_TRUE(session->RunInto({RandomTensor({8, 64}, 9)}, &outputs).ok());
  const Tensor& out = outputs[0].tensor();
  return {out.data<float>(), out.data<float>() + out.size()};
}

Session Make(Precision precision, double tolerance = 0) {
  SessionOptions options;
  options.precision = precision;
  options.tolerance = tolerance;
  return Session::Create(TwoLinears(), Runtime::Create({.threads = 1}).value(),
                         options)
      .value();
}

const PrecisionTrial& Find(const std::vector<PrecisionTrial>& trials,
                           Precision precision) {
  return *std::find_if(
      trials.begin(), trials.end(),
      [&](const PrecisionTrial& t) { return t.precision == precision; });
}

TEST(AutoPrecision, StaysInFloat32WhenNothingElseIsNearEnough) {
  Session session = Make(Precision::kAuto);
  EXPECT_EQ(session.precision(), Precision::kAuto);
  Session plain = Make(Precision::kFloat32);
  EXPECT_EQ(Answer(&session), Answer(&plain));
  EXPECT_EQ(session.precision(), Precision::kFloat32);
  const auto trials = session.PrecisionTrials();
  ASSERT_EQ(trials.size(), 3u);
  EXPECT_EQ(Find(trials, Precision::kFloat32).reason, "");
  EXPECT_EQ(Find(trials, Precision::kInt8).reason, "outputs differ too much");
  EXPECT_GT(Find(trials, Precision::kInt8).error, 1e-4);
  EXPECT_LT(Find(trials, Precision::kInt8).error, 0.1);
}

TEST(AutoPrecision, TakesTheFastestWithinTheTolerance) {
  Session session = Make(Precision::kAuto, 1);
  const std::vector<float> answer = Answer(&session);
  const auto trials = session.PrecisionTrials();
  const auto fastest = std::min_element(
      trials.begin(), trials.end(),
      [](const auto& a, const auto& b) { return a.run_ms < b.run_ms; });
  EXPECT_EQ(session.precision(), fastest->precision);
  for (const PrecisionTrial& trial : trials) {
    EXPECT_EQ(trial.reason,
              trial.precision == session.precision() ? "" : "slower");
  }
  Session same = Make(session.precision());
  EXPECT_EQ(answer, Answer(&same));
  EXPECT_EQ(answer, Answer(&session));
}

TEST(AutoPrecision, CodesNeedAnElasticFile) {
  SessionOptions options;
  options.precision = Precision::kCodes;
  EXPECT_EQ(Session::Create(TwoLinears(),
                            Runtime::Create({.threads = 1}).value(), options)
                .status()
                .code(),
            StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace stint
