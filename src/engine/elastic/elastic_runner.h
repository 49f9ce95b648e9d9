#pragma once
// Runs a model on the codes of its elastic file, within a budget: plans for the
// shapes it meets, keeps in memory what the plan pins, streams the rest behind
// the computation.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/io/open_reader.h"
#include "core/platform/memory_pressure.h"
#include "engine/elastic/elastic_program.h"
#include "engine/elastic/layer_costs.h"
#include "engine/elastic/memory_shares.h"
#include "engine/elastic/run_history.h"
#include "engine/elastic/table_rows.h"
#include "engine/plan/saved_plan.h"
#include "engine/run/graph_runner.h"
#include "stint/budget.h"
#include "weights/package/package.h"

namespace stint {

struct ElasticRunOptions {
  Budget budget;
  // Shared with other runners of the process, besides the budget; may be null.
  std::shared_ptr<MemoryShares> shares = nullptr;
  std::string policy = "elastic";
  // Used as it is, instead of planning; nothing is measured before.
  std::optional<SavedPlan> saved = {};
  StorageRate storage;  // imitated
  bool io_uring = true;
  // Where the system says that memory is short; a folder in tests.
  std::string system_root = {};
};

// How large inputs are together; plans hold for what is not larger.
int64_t SizeOf(std::span<const Value> inputs);

// Used by one thread at a time.
class ElasticRunner : private StageGate {
 public:
  // The package has shards and stays.
  static Result<std::unique_ptr<ElasticRunner>> Create(
      const Package* package, const KernelSite& site, ThreadPool* pool,
      const ElasticRunOptions& options);
  ~ElasticRunner() override;
  ElasticRunner(const ElasticRunner&) = delete;
  ElasticRunner& operator=(const ElasticRunner&) = delete;

  // Plans for inputs of these shapes and reads what is pinned, so that a run
  // finds it there. kBudgetInfeasible names the nearest budgets.
  Status Prepare(std::span<const Value> inputs);
  // Prepares first when the inputs are larger than all before.
  Status RunInto(std::span<const Value> inputs, std::vector<Value>* outputs,
                 const RunLimits& limits);

  // From the next run on; reads what is missing. When nothing fits, the plan
  // stays as it is. A saved plan ends here.
  Status SetBudget(const Budget& budget);

  // Of the last Prepare.
  const PlanProblem& problem() const { return problem_; }
  // With all layers, of which a plan may use a part.
  const PlanProblem& whole_problem() const { return whole_problem_; }
  const Plan& plan() const { return plan_; }
  SavedPlan Save() const;
  PlanReport Report() const;
  BudgetCounts Counts() const;
  // Changes with the sub-model of a plan.
  GraphRunner* runner() { return &program_->runner(); }
  // Told of each step of every run from now on; may be null.
  void set_observer(StepObserver* observer);
  void set_null_kernels(bool on);

 private:
  ElasticRunner(const Package* package, const KernelSite& site,
                ThreadPool* pool, const ElasticRunOptions& options);
  Status Open();
  Status OpenTables();
  // Takes part in the shared budget, if there is one.
  void JoinShares();
  // The budget, and the shared one where that is less.
  void SetLimits(const Budget& budget);
  // Gives all weights back, pinned or not.
  Status DropWeights();
  // What the model takes here, without weights.
  Status Rehearse();
  void Estimate(std::span<const Value> inputs);
  void SetRehearsing(bool on);
  Status WarmUp();
  // Errors of reading name the file.
  Status OfFile(const Status& status) const;
  // With a memory budget, gives back what the program used up to here.
  void EndPhase() const;
  // When nothing fits, the plan stays as it was.
  Status MakePlan();
  Status PlanAndApply();
  // After others came or went who share the budget.
  Status Replan();
  // What the process takes now besides weights, and may yet touch.
  int64_t FixedBytesNow() const;
  Status UseSavedPlan(std::span<const Value> inputs);
  PlanProblem MakeProblemNow() const;
  // Binds a sub-model of the problem, -1: the whole.
  Status Bind(int sub_model);
  Status Apply(const PlanProblem& problem, const Plan& plan);
  Status Refit(double run_ns, double wait_ns);
  // When the system is short of memory, plans for less.
  Status YieldMemory();
  Result<OpenedReader> OpenStorage(int depth);

  // StageGate.
  Status Enter(int stage) override;
  void Leave(int stage) override;
  void StartReading();

  const Package* const package_;
  const KernelSite site_;
  ThreadPool* const pool_;
  ElasticRunOptions options_;
  std::shared_ptr<SlowDevice> device_;
  std::string io_note_;
  std::vector<std::unique_ptr<TableRows>> tables_;
  CodedTable coded_tables_;
  std::unique_ptr<ElasticProgram> program_;
  int sub_model_ = -1;       // of program_
  std::vector<int> layers_;  // by stage of the whole: number in the catalog
  StepObserver* observer_ = nullptr;
  bool null_kernels_ = false;
  ReservedPages zeros_;
  std::unique_ptr<UnitStream> stream_;

  LayerCosts costs_;
  int64_t fixed_bytes_ = 0;
  MemoryShare share_;  // its weight_bytes are kept without a shared budget, too
  int64_t prepared_size_ = 0;  // elements of the inputs; 0: not yet
  std::vector<Value> prepared_inputs_;
  bool rehearsed_ = false;  // costs are measured, not estimated
  PlanProblem whole_problem_;
  PlanProblem problem_;
  Plan plan_;
  RunHistory history_;
  MemoryPressure pressure_;
  int64_t looked_ns_ = 0;      // at the pressure, last
  int64_t allowed_bytes_ = 0;  // less than the budget, after pressure; 0: that
  BudgetCounts counts_;

  // Of the run in progress.
  bool rehearsing_ = false;
  bool reading_ = false;
  RunLimits limits_;
  int stage_ = -1;  // entered last
  int left_ = 0;    // nodes of it
};

}  // namespace stint
