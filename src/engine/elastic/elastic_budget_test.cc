// Plans of a runner follow its budget, its memory and what earlier sessions
// measured.

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "core/platform/clock.h"
#include "core/platform/file.h"
#include "core/platform/memory/memory.h"
#include "core/platform/memory/reserved_pages.h"
#include "core/platform/temporary_folder.h"
#include "core/testing/foreign_heap.h"
#include "core/testing/unreliable_reader.h"
#include "engine/device/machine_cache.h"
#include "engine/elastic/memory/process_margin.h"
#include "engine/elastic/testing/elastic_runner_fixture.h"
#include "engine/plan/predict.h"
#include "weights/store/elastic/cost_section.h"

namespace stint {
namespace {

TEST_F(ElasticRunnerTest, ABudgetThatChangesReadsOnlyWhatIsMissing) {
  ElasticRunOptions options;
  options.policy = "elastic";
  const auto runner = Open(options);
  const std::vector<float> expected = Run(runner.get());
  const BudgetCounts before = runner->Counts();
  Budget large;
  large.memory_bytes = int64_t{1} << 40;
  ASSERT_TRUE(runner->SetBudget(large).ok());
  EXPECT_EQ(runner->Counts().bytes_read, before.bytes_read);
  EXPECT_EQ(runner->Counts().replans, 1);
  EXPECT_EQ(Run(runner.get()), expected);
}

TEST_F(ElasticRunnerTest, AnImpossibleBudgetLeavesThePlanAsItWas) {
  const auto runner = Open();
  const std::vector<float> expected = Run(runner.get());
  Budget none;
  none.latency = std::chrono::nanoseconds(1);
  const Status status = runner->SetBudget(none);
  EXPECT_EQ(status.code(), StatusCode::kBudgetInfeasible);
  EXPECT_NE(status.message().find("would do"), std::string::npos)
      << status.message();
  EXPECT_EQ(Run(runner.get()), expected);
  none.latency = {};
  none.memory_bytes = 4096;
  EXPECT_EQ(runner->SetBudget(none).code(), StatusCode::kBudgetInfeasible);
  EXPECT_EQ(Run(runner.get()), expected);
}

TEST_F(ElasticRunnerTest, TakesASubNetworkWhenTheWholeIsTooSlowAndGoesBack) {
  UseSubNetworks();
  ElasticRunOptions options;
  options.budget.latency = std::chrono::seconds(10);
  const auto runner = Open(options);
  const std::vector<float> whole = Run(runner.get());
  EXPECT_EQ(runner->Report().width, 4);
  ASSERT_TRUE(Narrow(runner.get()));
  const std::vector<float> part = Run(runner.get());
  EXPECT_EQ(part.size(), whole.size());
  EXPECT_NE(part, whole);
  EXPECT_LT(RelativeError(whole, part), 1.5);
  ASSERT_TRUE(runner->SetBudget(options.budget).ok());
  EXPECT_EQ(runner->Report().width, 4);
  EXPECT_EQ(Run(runner.get()), whole);
}

TEST_F(ElasticRunnerTest, PlansForLessWhenTheSystemIsShortOfMemory) {
  const TemporaryFolder system = TemporaryFolder::Make().value();
  ElasticRunOptions options;
  options.system_root = system.path();
  const auto runner = Open(options);
  Run(runner.get());
  const PlanReport before = runner->Report();
  const std::string file = system.path() + "/proc/pressure/memory";
  ASSERT_TRUE(MakeDirectories(DirectoryOf(file)).ok());
  ASSERT_TRUE(WriteFileAtomically(file, "some avg10=50.00 avg60=1\n").ok());
  for (int i = 0; i < 100 && runner->Counts().replans == 0; ++i) {
    SleepUntilNs(NowNs() + 10'000'000);
    Run(runner.get());
  }
  EXPECT_EQ(runner->Counts().replans, 1);
  const PlanReport after = runner->Report();
  EXPECT_LT(after.preload_bytes + after.ring_bytes, before.preload_bytes);
  EXPECT_FALSE(Run(runner.get()).empty());
}

TEST_F(ElasticRunnerTest, MemoryOverTheBudgetIsCountedAndGivenBack) {
  if (kForeignHeap)
    GTEST_SKIP() << "needs the memory of a program without sanitizers";
  path_ = WriteElastic(MakeElasticModel(8 * kWidth), SmallShards());
  package_ = ReadPackage(path_).value();
  ElasticRunOptions options;
  options.budget.memory_bytes = int64_t{1} << 40;
  const auto runner = Open(options);
  Run(runner.get());
  const int64_t weights = runner->Report().preload_bytes;
  ASSERT_GT(weights, 2'000'000);
  options.budget.memory_bytes =
      runner->Report().fixed_bytes + weights + (1 << 20);
  std::ofstream("/proc/self/clear_refs") << 5;  // forgets the peak
  ASSERT_TRUE(runner->SetBudget(options.budget).ok());
  Run(runner.get());
  EXPECT_EQ(runner->Counts().over_memory, 0);
  EXPECT_EQ(runner->Report().preload_bytes, weights);
  // The host of the session takes what was free and what half of the weights
  // have: new pages, whatever the heap has free.
  const int64_t host_bytes =
      options.budget.memory_bytes - ResidentBytes() + weights / 2;
  const ReservedPages host =
      ReservedPages::Reserve(host_bytes / 4096 * 4096).value();
  std::memset(host.data(), 'x', static_cast<size_t>(host.bytes()));
  for (int i = 0; i < 100 && runner->Counts().over_memory == 0; ++i) {
    SleepUntilNs(NowNs() + 10'000'000);
    Run(runner.get());
  }
  EXPECT_GT(runner->Counts().over_memory, 0);
  EXPECT_GT(runner->Counts().most_over_bytes, 0);
  // A plan for less that takes a little too much is seen as well.
  do {
    SleepUntilNs(NowNs() + 20'000'000);
    EXPECT_FALSE(Run(runner.get()).empty());
  } while (ResidentBytes() > options.budget.memory_bytes &&
           runner->Counts().runs < 200);
  const PlanReport after = runner->Report();
  EXPECT_LT(after.preload_bytes + after.ring_bytes, weights * 3 / 4);
  EXPECT_LE(ResidentBytes(), options.budget.memory_bytes);
}

TEST_F(ElasticRunnerTest, CostsOfEarlierSessionsSpareTheRehearsal) {
  const TemporaryFolder cache = TemporaryFolder::Make().value();
  ElasticRunOptions options;
  options.cache_folder = cache.path();
  options.budget.latency = std::chrono::seconds(10);
  const auto first = Open(options);
  const std::vector<float> expected = Run(first.get());
  EXPECT_EQ(ListDirectory(cache.path()).value().size(), 1u);
  const auto second = Open(options);
  EXPECT_EQ(Run(second.get()), expected);
  // A sum of many times, which no other measurement gives again.
  const auto compute_ns = [](const ElasticRunner& runner) {
    return ComputeNs(runner.problem(), runner.plan().layers);
  };
  const double first_ns = compute_ns(*first);
  EXPECT_NEAR(compute_ns(*second), first_ns, 1e-5 * first_ns);
  options.cache_folder = "";
  const auto third = Open(options);
  EXPECT_EQ(Run(third.get()), expected);
  EXPECT_NE(compute_ns(*third), first_ns);
}

// A package that comes with times of this machine: nothing is rehearsed, memory
// is measured here.
TEST_F(ElasticRunnerTest, ShippedCostsSpareTheRehearsalOnSuchMachines) {
  ElasticRunOptions options;
  options.budget.latency = std::chrono::seconds(10);
  const auto first = Open(options);
  const std::vector<float> expected = Run(first.get());
  const auto compute_ns = [](const ElasticRunner& runner) {
    return ComputeNs(runner.problem(), runner.plan().layers);
  };
  const double first_ns = compute_ns(*first);
  const std::string times = first->costs().WithoutMemory().ToText();
  const std::string here = MachineKey::Here(DetectIsa(), 2).ToString();
  ASSERT_TRUE(AddCosts(path_, path_, {here, times}).ok());
  package_ = ReadPackage(path_).value();
  const TemporaryFolder cache = TemporaryFolder::Make().value();
  options.cache_folder = cache.path();
  const auto second = Open(options);
  EXPECT_EQ(Run(second.get()), expected);
  EXPECT_NEAR(compute_ns(*second), first_ns, 1e-5 * first_ns);
  // The next session knows the memory as well.
  EXPECT_GT(second->costs().points()[0].memory_bytes, 0);
  EXPECT_EQ(ListDirectory(cache.path()).value().size(), 1u);

  path_ = WriteElastic(MakeElasticModel(kWidth), SmallShards());
  ASSERT_TRUE(AddCosts(path_, path_, {"another machine", times}).ok());
  package_ = ReadPackage(path_).value();
  options.cache_folder = "";
  const auto third = Open(options);
  EXPECT_EQ(Run(third.get()), expected);
  EXPECT_NE(compute_ns(*third), first_ns);
}

// Costs are known, memory is not yet measured: a budget that not even the whole
// program fits must not leave the runner without one.
TEST_F(ElasticRunnerTest, ABudgetForNothingLeavesASubNetworkRunning) {
  UseSubNetworks();
  const TemporaryFolder cache = TemporaryFolder::Make().value();
  ElasticRunOptions options;
  options.cache_folder = cache.path();
  options.budget.latency = std::chrono::seconds(10);
  options.budget.memory_bytes = int64_t{1} << 40;
  {
    const auto first = Open(options);
    Run(first.get());
  }
  const auto runner = Open(options);
  Run(runner.get());
  ASSERT_TRUE(Narrow(runner.get(), options.budget.memory_bytes));
  const int width = runner->Report().width;
  const std::vector<float> part = Run(runner.get());
  for (int64_t bytes : {int64_t{4096}, ResidentBytes() - (1 << 20),
                        ResidentBytes(), ResidentBytes() + (1 << 16)}) {
    Budget none;
    none.memory_bytes = bytes;
    EXPECT_EQ(runner->SetBudget(none).code(), StatusCode::kBudgetInfeasible);
    EXPECT_EQ(runner->Report().width, width);
    EXPECT_EQ(Run(runner.get()), part);
  }
}

// What a budget or a longer input needed that was refused is forgotten.
TEST_F(ElasticRunnerTest, WhatIsRefusedDoesNotCount) {
  if (kForeignHeap)
    GTEST_SKIP() << "needs the memory of a program without sanitizers";
  Package model = MakeElasticModel(kWidth, 0);
  path_ = WriteElastic(model, SmallShards());
  package_ = ReadPackage(path_).value();
  ElasticRunOptions options;
  options.budget.memory_bytes = int64_t{1} << 40;
  const auto runner = Open(options);
  Run(runner.get());
  const PlanReport before = runner->Report();
  options.budget.memory_bytes =
      ResidentBytes() + kProcessMarginBytes + (512 << 10);
  ASSERT_TRUE(runner->SetBudget(options.budget).ok());
  const int64_t fixed = runner->Report().fixed_bytes;
  const std::vector<Value> longer = {
      Tensor::Allocate(DType::kInt64, {1, 20'000}).value()};
  std::memset(const_cast<void*>(longer[0].tensor().raw()), 0,
              static_cast<size_t>(longer[0].tensor().bytes()));
  EXPECT_EQ(runner->Prepare(longer).code(), StatusCode::kBudgetInfeasible);
  ASSERT_TRUE(runner->SetBudget(options.budget).ok());
  EXPECT_LT(runner->Report().fixed_bytes, fixed + (256 << 10));
}

// A run that was given up left a read behind: what it reads into still counts
// as weights.
TEST_F(ElasticRunnerTest, ARingThatCannotGoIsNotCountedTwice) {
  const auto faults = std::make_shared<StorageFaults>();
  ElasticRunOptions options;
  options.policy = "pipeline:8";
  options.budget.memory_bytes = int64_t{1} << 40;
  options.wrap_reader = [&](std::unique_ptr<BlockReader> reader) {
    return std::make_unique<UnreliableReader>(std::move(reader), faults);
  };
  const auto runner = Open(options);
  Run(runner.get());
  ASSERT_GT(runner->Report().ring_bytes, 0);
  const int64_t fixed = runner->Report().fixed_bytes;
  for (int i = 0; i < 5; ++i) {
    faults->stall_ns = 100'000'000;
    RunLimits limits;
    limits.deadline_ns = NowNs() + 1'000'000;
    std::vector<Value> outputs;
    EXPECT_EQ(runner->RunInto(inputs_, &outputs, limits).code(),
              StatusCode::kCancelled);
    EXPECT_TRUE(runner->SetBudget(options.budget).ok());
    faults->stall_ns = 0;
  }
  Run(runner.get());
  EXPECT_LT(runner->Report().fixed_bytes, fixed + runner->Report().ring_bytes);
}

// Whoever joins finds the share it was promised, whatever plan for another
// share was under way.
TEST_F(ElasticRunnerTest, APlanForAnOlderShareIsNotTaken) {
  const TemporaryFolder cache = TemporaryFolder::Make().value();
  ElasticRunOptions options;
  options.cache_folder = cache.path();
  {
    ElasticRunOptions alone = options;
    alone.budget.memory_bytes = int64_t{1} << 40;
    const auto first = Open(alone);
    Run(first.get());
  }
  options.shares = std::make_shared<MemoryShares>(int64_t{1} << 40);
  const auto runner = Open(options);
  // The sixth run measures memory and plans beside the seventh.
  for (int i = 0; i < 6; ++i) Run(runner.get());
  const auto other = Open(options);
  SleepUntilNs(NowNs() + 100'000'000);
  const int64_t replans = runner->Counts().replans;
  Run(runner.get());
  EXPECT_EQ(runner->Counts().replans, replans + 1);  // for what is now its own
}

// The first run after a launch may have been too short of time for more bits.
TEST_F(ElasticRunnerTest, APlanOfAHurryIsLeftAfterItsRun) {
  ElasticRunOptions options;
  options.budget.latency = std::chrono::milliseconds(
      static_cast<int64_t>(MsSinceProcessStart()) + 1);
  options.budget.from_launch = true;
  options.budget.best_effort = true;
  SleepUntilNs(NowNs() + 2'000'000);
  const auto runner = Open(options);
  Run(runner.get());
  EXPECT_EQ(runner->Report().mean_bits, 2);
  EXPECT_FALSE(runner->Report().keeps_latency);
  for (int i = 0; i < 100 && runner->Report().mean_bits < 8; ++i) {
    SleepUntilNs(NowNs() + 5'000'000);
    Run(runner.get());
  }
  EXPECT_EQ(runner->Report().mean_bits, 8);
  EXPECT_TRUE(runner->Report().keeps_latency);
}

TEST_F(ElasticRunnerTest, ALatencyThatNothingKeepsGetsTheFastestPlanIfAsked) {
  ElasticRunOptions options;
  options.budget.latency = std::chrono::nanoseconds(1);
  EXPECT_EQ(Open(options)->Prepare(inputs_).code(),
            StatusCode::kBudgetInfeasible);
  options.budget.best_effort = true;
  const auto runner = Open(options);
  EXPECT_FALSE(Run(runner.get()).empty());
  EXPECT_FALSE(runner->Report().keeps_latency);
  EXPECT_EQ(runner->Report().mean_bits, 2);
  EXPECT_EQ(runner->Counts().missed, 1);
}

}  // namespace
}  // namespace stint
