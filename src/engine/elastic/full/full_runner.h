#pragma once
// Runs a plain package in float32, all of it in memory or streamed layer by
// layer: what elastic files are compared with (policies resident:32 and
// pipeline:32).

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/open_reader.h"
#include "engine/elastic/full/placed_weights.h"
#include "engine/run/executable.h"
#include "stint/budget.h"
#include "weights/package/package.h"

namespace stint {

inline constexpr char kResidentFull[] = "resident:32";
inline constexpr char kPipelineFull[] = "pipeline:32";

// One of these two.
inline bool IsFullPolicy(std::string_view policy) {
  return policy == kResidentFull || policy == kPipelineFull;
}

struct FullRunOptions {
  Budget budget;
  std::string policy = kResidentFull;
  StorageRate storage;  // imitated
  bool io_uring = true;
};

// Used by one thread at a time.
class FullRunner : public Executable, private StepObserver {
 public:
  // The package comes from a plain file that was packed for this machine, and
  // stays; kUnsupported otherwise. kInvalidArgument for a budget from launch or
  // of best effort, which need plans to choose from.
  static Result<std::unique_ptr<FullRunner>> Create(
      const Package* package, const KernelSite& site, ThreadPool* pool,
      const FullRunOptions& options);

  // Binds the program to inputs of these shapes, reads what stays, and runs
  // twice to see how long it takes. kBudgetInfeasible says what it would need.
  Status Prepare(std::span<const Value> inputs);
  // Prepares first when the inputs are larger than all before.
  Status RunInto(std::span<const Value> inputs, std::vector<Value>* outputs,
                 const RunLimits& limits) override;

  bool prepared() const { return prepared_size_ > 0; }
  PlanReport Report() const { return report_; }
  Result<PlanReport> PlanFor(std::span<const Value> inputs) override {
    STINT_RETURN_IF_ERROR(Prepare(inputs));
    return Report();
  }
  std::optional<PlanReport> CurrentPlan() const override {
    return prepared() ? std::optional(report_) : std::nullopt;
  }
  std::optional<Budget> CurrentBudget() const override {
    return options_.budget;
  }
  BudgetCounts Counts() const override;
  GraphRunner* program() override { return runner_.get(); }
  void Observe(StepObserver* observer) override { observer_ = observer; }

 private:
  FullRunner(const Package* package, const FullRunOptions& options)
      : package_(package), options_(options) {}
  Status Open(const KernelSite& site, ThreadPool* pool);
  // Every packed node runs, on the weights that are placed.
  Status CheckBound() const;
  Status PlaceWeights();
  Status Measure();
  Status RunOnce(std::span<const Value> inputs, std::vector<Value>* outputs,
                 const RunLimits& limits);
  Status OfFile(const Status& status) const;
  bool streams() const { return options_.policy == kPipelineFull; }

  // StepObserver.
  Status BeforeStep(const Node& node) override;
  void OnStep(const Node& node, int64_t start_ns, int64_t end_ns) override;
  void OnOutputs(const Node& node, EvalContext& ctx) override;

  const Package* const package_;
  const FullRunOptions options_;
  std::string io_note_;
  std::unique_ptr<Graph> graph_;
  std::unique_ptr<PlacedWeights> weights_;
  std::unique_ptr<GraphRunner> runner_;
  StepObserver* observer_ = nullptr;
  std::vector<Value> inputs_;  // prepared for
  int64_t prepared_size_ = 0;
  bool binding_ = false;    // nothing is read yet
  bool measuring_ = false;  // times of steps go into the report
  PlanReport report_;
  BudgetCounts counts_;
  RunLimits limits_;      // of the run in progress
  int64_t start_ns_ = 0;  // likewise
};

}  // namespace stint
