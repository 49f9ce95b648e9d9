#pragma once
// Keeps the runs of an elastic file within a budget: learns what shapes cost,
// plans for them, watches times and memory, and plans again when they change.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/platform/memory/memory_pressure.h"
#include "engine/elastic/costs/model_costs.h"
#include "engine/elastic/costs/run_history.h"
#include "engine/elastic/elastic_executable.h"
#include "engine/elastic/memory/memory_shares.h"
#include "engine/elastic/plan_aside.h"
#include "engine/plan/saved_plan.h"
#include "engine/run/executable.h"
#include "stint/budget.h"

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
  WrapReader wrap_reader = {};  // for tests; may be null
  bool explain_memory = false;  // PlanReport::memory
  // Where measurements of this machine are kept; empty: nowhere.
  std::string cache_folder = {};
  // Where the system says that memory is short; a folder in tests.
  std::string system_root = {};
};

// Used by one thread at a time.
class ElasticRunner : public Executable {
 public:
  // The package has shards and stays.
  static Result<std::unique_ptr<ElasticRunner>> Create(
      const Package* package, const KernelSite& site, ThreadPool* pool,
      const ElasticRunOptions& options);
  ~ElasticRunner() override;
  ElasticRunner(const ElasticRunner&) = delete;
  ElasticRunner& operator=(const ElasticRunner&) = delete;

  // Plans for inputs of these shapes and reads what is pinned, so that a run
  // finds it there. kBudgetInfeasible names the nearest budgets; then all stays
  // as it was.
  Status Prepare(std::span<const Value> inputs);
  // Prepares first when the inputs are larger than all before.
  Status RunInto(std::span<const Value> inputs, std::vector<Value>* outputs,
                 const RunLimits& limits) override;

  // From the next run on; reads what is missing. After an error all stays as it
  // was. A saved plan ends here.
  Status SetBudget(const Budget& budget) override;
  // In force: the shared one where that is less.
  const Budget& budget() const { return options_.budget; }

  // Of the last plan.
  const PlanProblem& problem() const { return executable_->deployed().problem; }
  // With all layers, of which a plan may use a part.
  const PlanProblem& whole_problem() const { return whole_problem_; }
  const Plan& plan() const { return executable_->deployed().plan; }
  SavedPlan Save() const;
  PlanReport Report() const;
  Result<PlanReport> PlanFor(std::span<const Value> inputs) override {
    STINT_RETURN_IF_ERROR(Prepare(inputs));
    return Report();
  }
  std::optional<PlanReport> CurrentPlan() const override;
  std::optional<Budget> CurrentBudget() const override { return budget(); }
  Result<std::string> SavePlan() const override;
  Result<std::vector<Result<PlanReport>>> PlanVariants(
      std::span<const Budget> budgets) const override;
  BudgetCounts Counts() const override;
  // Of this session and those before on this machine, by shapes.
  const ModelCosts& costs() const { return kept_; }
  // Changes with the sub-model of a plan.
  GraphRunner* program() override { return executable_->runner(); }
  void Observe(StepObserver* observer) override {
    executable_->set_observer(observer);
  }
  void set_null_kernels(bool on) { executable_->set_null_kernels(on); }

 private:
  // What is known of inputs of some shapes.
  struct Known {
    InputShapes shapes;
    int64_t elements = 0;  // plans hold for as many; 0: none was made yet
    LayerCosts costs;
    int64_t fixed_bytes = 0;  // of the process besides weights
    bool costs_measured = false;
    bool memory_measured = false;  // and not taken from earlier processes
    double busy = 1;
  };

  // Lengths that differ touch more, run by run, than one that is always the
  // same; where there is no room for that, plans are as for one length.
  enum class Lengths { kSame, kMixed, kMixedWithoutRoom };
  // What there was before memory was found to be short; the next run plans.
  struct Limits {
    int64_t fixed_bytes;
    int64_t allowed_bytes;
    Lengths lengths;
  };
  // What plans are made from besides the budget: where none can be made, all
  // of it stays as it was.
  struct Basis {
    Known known;
    WarmShapes warm;
    std::optional<Limits> short_of;
    int64_t allowed_bytes;
    int64_t shared_fixed_bytes;
  };

  ElasticRunner(const Package* package, const KernelSite& site,
                ThreadPool* pool, const ElasticRunOptions& options);
  Status Open();
  Basis Keep() const;
  void PutBack(Basis basis);
  // Binds these shapes, which were planned for. Where others who share the
  // budget have bound larger ones since, theirs go first, then bits.
  Status FitShapes(std::span<const Value> inputs);
  // Takes part in the shared budget, if there is one.
  void JoinShares();
  // The budget, and the shared one where that is less.
  void SetLimits(const Budget& budget);

  // Times and memory of inputs of these shapes: known_.
  Status Learn(std::span<const Value> inputs);
  // Without a budget nothing is measured.
  Status Estimate(std::span<const Value> inputs);
  void LoadCosts();
  void LoadShippedCosts();
  // For rows of tables, since the session was made.
  int64_t RowWaitNs() const;
  void KeepCosts(const InputShapes& shapes);
  void KeepSlowdown();
  std::string CostsKind() const;
  std::vector<MemoryItem> Explain() const;
  // Whether a plan could be made and put to use from what earlier processes
  // measured.
  Status PlanFromKept(const ModelCosts::Point& kept);
  int64_t FixedBytesNow() const;
  // A session that runs on within a memory budget measures what it takes.
  void SettleMemory();
  void ExpectOtherLengths();

  // After an error the plan is as it was, and what it was made from.
  Status MakePlan();
  Status ChooseAndDeploy();
  Status Deploy(const PlanProblem& problem, ChosenPlan chosen);
  // Takes another plan where what is left since the start of the process does
  // not suffice to read what this one pins, and says so.
  Result<bool> HurryFirstRun(const PlanProblem& problem,
                             ChosenPlan* chosen) const;
  PlanProblem MakeProblemNow() const;
  Status UseSavedPlan(std::span<const Value> inputs);
  // After others came or went who share the budget.
  Status Replan();
  // Makes a plan beside the runs, which take it once it is there.
  void PlanBeside();
  void TakePlanBeside();

  void Watch(std::span<const Value> inputs,
             const ElasticExecutable::Times& times);
  // Counts runs over the memory budget and plans for less.
  void WatchMemory(bool at_once);
  // When the system is short of memory, plans for less.
  void YieldMemory();
  void GiveWay(int64_t fixed_bytes, int64_t allowed_bytes);
  void PlanForLess();
  void Refit(const ElasticExecutable::Times& times);

  const Package* const package_;
  const uint64_t fingerprint_;  // of the catalog, which it reads as a whole
  const KernelSite site_;
  ThreadPool* const pool_;
  ElasticRunOptions options_;
  std::unique_ptr<ElasticExecutable> executable_;
  MemoryShare share_;  // its weight_bytes are kept without a shared budget, too

  ModelCosts kept_;  // of this session and those before
  Known known_;
  std::vector<MemoryItem> memory_;  // that is fixed, if asked
  PlanProblem whole_problem_;
  bool run_follows_ = false;   // right after what is prepared now
  bool keeps_latency_ = true;  // false: it is the fastest plan there is
  bool hurried_ = false;  // the plan is one for the first run after a launch
  RunHistory history_;
  std::unique_ptr<PlanAside> beside_;
  MemoryPressure pressure_;
  int64_t looked_ns_ = 0;      // at the pressure, last
  int64_t allowed_bytes_ = 0;  // less than the budget, after pressure; 0: that
  std::optional<Limits> short_;
  int64_t watched_ns_ = 0;     // the memory, last
  int64_t refused_ns_ = 0;     // a plan made beside the runs, last
  int64_t peak_bytes_ = 0;     // of the process, as far as it was seen
  int64_t last_elements_ = 0;  // of the run before
  Lengths lengths_ = Lengths::kSame;
  BudgetCounts counts_;
};

}  // namespace stint
