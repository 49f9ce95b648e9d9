// Runs on codes give the answers of the weights that the codes stand for,
// whatever is pinned or streamed, and errors leave the runner usable.

#include "engine/elastic/elastic_runner.h"

#include <gtest/gtest.h>

#include <fstream>

#include "core/platform/clock.h"
#include "engine/elastic/testing/elastic_runner_fixture.h"
#include "engine/plan/plan_answers.h"

namespace stint {
namespace {

TEST_F(ElasticRunnerTest, ComputesOnCodesWhatTheirWeightsWouldGive) {
  const std::vector<float> expected = Expected();
  const auto runner = Open();
  const std::vector<float> found = Run(runner.get());
  ASSERT_EQ(found.size(), expected.size());
  // Activations have 8 bits.
  EXPECT_LT(RelativeError(expected, found), 0.03);
  EXPECT_GT(RelativeError(expected, found), 0);
  const PlanReport plan = runner->Report();
  EXPECT_EQ(plan.mean_bits, 8);
  EXPECT_EQ(plan.stream_bytes, 0);
}

TEST_F(ElasticRunnerTest, FewerBitsAreWorse) {
  const std::vector<float> expected = Expected();
  double before = 0;
  for (const char* policy : {"resident:8", "resident:4", "resident:2"}) {
    ElasticRunOptions options;
    options.policy = policy;
    const auto runner = Open(options);
    const double error = RelativeError(expected, Run(runner.get()));
    EXPECT_GT(error, before) << policy;
    before = error;
  }
  EXPECT_LT(before, 1);
}

TEST_F(ElasticRunnerTest, ASavedPlanGivesTheSameRunWithoutPlanning) {
  ElasticRunOptions options;
  options.policy = "pipeline:3";
  const auto planned = Open(options);
  const std::vector<float> expected = Run(planned.get());
  const auto saved = ParseSavedPlan(ToText(planned->Save()));
  ASSERT_TRUE(saved.ok()) << saved.status().message();
  ElasticRunOptions again;
  again.saved = *saved;
  const auto runner = Open(again);
  EXPECT_EQ(Run(runner.get()), expected);
  EXPECT_EQ(runner->Report().mean_bits, 3);
  EXPECT_EQ(runner->Report().stream_bytes, planned->Report().stream_bytes);
  EXPECT_EQ(runner->Report().policy, "pipeline:3");
}

// Mixed bits, partly pinned and streamed from slow storage, against the same
// bits from memory.
TEST_F(ElasticRunnerTest, AnswersDependOnSubNetworkAndBitsAlone) {
  ElasticRunOptions options;
  options.policy = "mean:2.5";
  const auto planned = Open(options);
  const std::vector<float> expected = Run(planned.get());
  SavedPlan streamed = planned->Save();
  int units = 0;
  for (LayerPlan& layer : streamed.plan.layers) {
    for (auto& group : layer.units) {
      for (UnitUse& use : group) {
        if (use == UnitUse::kPinned && ++units % 2 == 0) {
          use = UnitUse::kStreamed;
        }
      }
    }
  }
  streamed.plan.ring_bytes = 1 << 20;
  ElasticRunOptions slow;
  slow.saved = streamed;
  slow.storage = {50e6, 100'000};
  const auto runner = Open(slow);
  EXPECT_EQ(Run(runner.get()), expected);
  EXPECT_GT(runner->Report().stream_bytes, 0);
  EXPECT_EQ(runner->Report().answers, planned->Report().answers);

  ElasticRunOptions from_memory;
  from_memory.saved = AnsweringPlan(streamed);
  const auto answering = Open(from_memory);
  EXPECT_EQ(Run(answering.get()), expected);
  EXPECT_EQ(answering->Report().stream_bytes, 0);
  EXPECT_EQ(answering->Report().answers, planned->Report().answers);
}

TEST_F(ElasticRunnerTest, ASavedPlanFitsItsFileAndItsInputs) {
  const auto planned = Open();
  Run(planned.get());
  const SavedPlan saved = planned->Save();
  const auto error = [&](const SavedPlan& plan, int64_t memory = 0) {
    ElasticRunOptions options;
    options.saved = plan;
    options.budget.memory_bytes = memory;
    return Open(options)->Prepare(inputs_);
  };
  EXPECT_TRUE(error(saved).ok());
  SavedPlan other = saved;
  other.model ^= 1;
  EXPECT_EQ(error(other).code(), StatusCode::kInvalidArgument);
  EXPECT_NE(error(other).message().find("another file"), std::string::npos);
  SavedPlan small = saved;
  small.input_elements = 4;
  EXPECT_EQ(error(small).code(), StatusCode::kInvalidArgument);
  SavedPlan beyond = saved;
  beyond.plan.sub_model = 1000;
  EXPECT_EQ(error(beyond).code(), StatusCode::kInvalidArgument);
  SavedPlan lacking = saved;
  lacking.plan.layers.pop_back();
  EXPECT_EQ(error(lacking).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(error(saved, 4096).code(), StatusCode::kBudgetInfeasible);
}

TEST_F(ElasticRunnerTest, StreamedOrPinnedTheAnswerIsTheSame) {
  ElasticRunOptions options;
  options.policy = "resident:3";
  const auto resident = Open(options);
  options.policy = "pipeline:3";
  const auto streamed = Open(options);
  options.io_uring = false;
  const auto by_pread = Open(options);
  const std::vector<float> expected = Run(resident.get());
  for (int run = 0; run < 3; ++run) {
    EXPECT_EQ(Run(streamed.get()), expected);
    EXPECT_EQ(Run(by_pread.get()), expected);
  }
  EXPECT_EQ(resident->Report().stream_bytes, 0);
  EXPECT_GT(streamed->Report().stream_bytes, 0);
  EXPECT_EQ(streamed->Report().preload_bytes, 0);
  EXPECT_GE(streamed->Counts().bytes_read, 3 * streamed->Report().stream_bytes);
  EXPECT_FALSE(by_pread->Report().io_uring);
}

TEST_F(ElasticRunnerTest, CountsAndPredictsWaitsForSlowStorage) {
  ElasticRunOptions options;
  options.storage.latency_ns = 3'000'000;
  options.policy = "pipeline:2";
  const auto runner = Open(options);
  Run(runner.get());
  EXPECT_EQ(runner->Counts().missed, 0);
  EXPECT_GT(runner->Counts().waits, 0);
  EXPECT_GT(runner->Report().predicted_ms, 3);
}

TEST_F(ElasticRunnerTest, RunsThatTakeTooLongAreCounted) {
  struct Sleeper : StepObserver {
    void OnStep(const Node&, int64_t, int64_t end_ns) override {
      SleepUntilNs(end_ns + 50'000'000);
    }
  } sleeper;
  ElasticRunOptions options;
  options.budget.latency = std::chrono::milliseconds(200);
  const auto runner = Open(options);
  Run(runner.get());
  EXPECT_EQ(runner->Counts().missed, 0);
  runner->Observe(&sleeper);  // 8 steps
  Run(runner.get());
  Run(runner.get());
  EXPECT_EQ(runner->Counts().runs, 3);
  EXPECT_EQ(runner->Counts().missed, 2);
  runner->Observe(nullptr);
  Run(runner.get());
  EXPECT_EQ(runner->Counts().missed, 2);
}

TEST_F(ElasticRunnerTest, AFlippedBitIsAnErrorAndTheRunnerStaysUsable) {
  ElasticRunOptions options;
  options.policy = "pipeline:4";
  const auto runner = Open(options);
  const std::vector<float> expected = Run(runner.get());
  const int64_t at = package_.shards->catalog.layers[0].groups[1][0].offset;
  const auto flip = [&] {
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(at);
    const char old = static_cast<char>(file.get());
    file.seekp(at);
    file.put(static_cast<char>(old ^ 16));
  };
  flip();
  std::vector<Value> outputs;
  const Status status = runner->RunInto(inputs_, &outputs, {});
  EXPECT_EQ(status.code(), StatusCode::kDamaged);
  EXPECT_NE(status.message().find(std::to_string(at)), std::string::npos)
      << status.message();
  EXPECT_NE(status.message().find(path_), std::string::npos);
  flip();
  EXPECT_EQ(Run(runner.get()), expected);
}

TEST_F(ElasticRunnerTest, ARunCanBeCancelledWhileItWaits) {
  ElasticRunOptions options;
  options.policy = "pipeline:2";
  const auto runner = Open(options);
  Run(runner.get());
  options.storage = {.bytes_per_second = 1000};
  const auto slow = Open(options);
  std::vector<Value> outputs;
  ASSERT_TRUE(slow->Prepare(inputs_).ok());
  std::atomic<bool> cancel{true};
  RunLimits limits;
  limits.cancel = &cancel;
  EXPECT_EQ(slow->RunInto(inputs_, &outputs, limits).code(),
            StatusCode::kCancelled);
}

}  // namespace
}  // namespace stint
