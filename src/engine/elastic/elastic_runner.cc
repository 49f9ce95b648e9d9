#include "engine/elastic/elastic_runner.h"

#include <algorithm>

#include "core/platform/clock.h"
#include "core/platform/memory/memory.h"
#include "engine/elastic/importance/expect_answers.h"
#include "engine/elastic/memory/explain_memory.h"
#include "engine/elastic/plan_variants.h"
#include "engine/elastic/report_plan.h"
#include "engine/plan/plan_answers.h"

namespace stint {
namespace {

// What a process of the command line takes before any weights.
constexpr int64_t kProcessBytes = 4'000'000;

// A part of the budget keeps the rows of frequent words, of which a text has
// many: each that is missing costs a read of a whole block. Where little is
// left for weights, they need it more.
int64_t RowCacheBytes(const Budget& budget) {
  const int64_t bytes = budget.memory_bytes;
  if (bytes == 0) return 1 << 20;
  return std::clamp<int64_t>(std::min(bytes / 32, (bytes - kProcessBytes) / 16),
                             64 << 10, 1 << 20);
}

// Runs that tell how busy the machine is.
constexpr int64_t kTellingRuns = 16;

}  // namespace

ElasticRunner::ElasticRunner(const Package* package, const KernelSite& site,
                             ThreadPool* pool, const ElasticRunOptions& options)
    : package_(package),
      fingerprint_(FingerprintOf(package->shards->catalog)),
      site_(site),
      pool_(pool),
      options_(options),
      pressure_(options.system_root) {
  // What a plan was made for holds on, unless another budget is given.
  if (options_.saved.has_value() && options_.budget.memory_bytes == 0) {
    options_.budget.memory_bytes = options_.saved->memory_bytes;
  }
  SetLimits(options_.budget);
}

ElasticRunner::~ElasticRunner() {
  KeepSlowdown();
  if (options_.shares != nullptr) options_.shares->Leave(&share_);
}

void ElasticRunner::SetLimits(const Budget& budget) {
  options_.budget = budget;
  if (options_.shares != nullptr) {
    const int64_t shared = options_.shares->budget_bytes();
    int64_t& memory = options_.budget.memory_bytes;
    memory = memory == 0 ? shared : std::min(memory, shared);
  }
  if (executable_ != nullptr) {
    executable_->set_memory_bytes(options_.budget.memory_bytes);
  }
}

void ElasticRunner::JoinShares() {
  if (options_.shares == nullptr) return;
  for (const CatalogLayer& layer : package_->shards->catalog.layers) {
    int64_t least = 0;
    for (size_t g = 0; g < layer.groups.size(); ++g) {
      for (const ReadUnit& unit : layer.groups[g]) {
        share_.most_bytes += unit.bytes;
        if (g == 0) least += unit.bytes;
      }
    }
    share_.least_bytes = std::max(share_.least_bytes, least);
  }
  share_.release = [this] {
    if (executable_ != nullptr) (void)executable_->DropWeights();
    share_.weight_bytes = 0;
  };
  share_.release_shapes = [this] {
    if (executable_ != nullptr) executable_->DropShapes();
  };
  options_.shares->Join(&share_);
}

Result<std::unique_ptr<ElasticRunner>> ElasticRunner::Create(
    const Package* package, const KernelSite& site, ThreadPool* pool,
    const ElasticRunOptions& options) {
  if (package->shards == nullptr) {
    return InvalidArgument("the model is not an elastic file");
  }
  std::unique_ptr<ElasticRunner> runner(
      new ElasticRunner(package, site, pool, options));
  STINT_RETURN_IF_ERROR(runner->Open());
  return runner;
}

Status ElasticRunner::Open() {
  JoinShares();
  peak_bytes_ = PeakResidentBytes();
  ExecutableOptions options;
  options.storage = options_.storage;
  options.io_uring = options_.io_uring;
  options.wrap_reader = options_.wrap_reader;
  options.row_cache_bytes = RowCacheBytes(options_.budget);
  options.memory_bytes = options_.budget.memory_bytes;
  STINT_ASSIGN_OR_RETURN(
      executable_, ElasticExecutable::Create(package_, site_, pool_, options));
  LoadCosts();
  return OkStatus();
}

Status ElasticRunner::RunInto(std::span<const Value> inputs,
                              std::vector<Value>* outputs,
                              const RunLimits& limits) {
  const int64_t start = NowNs();
  counts_.last = RunPhases();
  if (hurried_ && counts_.runs > 0) PlanBeside();
  TakePlanBeside();
  PlanForLess();
  if (SizeOf(inputs) > known_.elements) {
    run_follows_ = true;
    const Status prepared = Prepare(inputs);
    run_follows_ = false;
    STINT_RETURN_IF_ERROR(prepared);
  } else if (share_.stale) {
    STINT_RETURN_IF_ERROR(Replan());
  }
  STINT_RETURN_IF_ERROR(FitShapes(inputs));
  counts_.prepare_ms = MsSince(start);
  const int64_t ready = NowNs();
  const int64_t row_wait_ns = RowWaitNs();
  ElasticExecutable::Times times;
  STINT_RETURN_IF_ERROR(executable_->RunInto(inputs, outputs, limits, &times));
  // Programs are bound to shapes in front of the run.
  RunPhases& last = counts_.last;
  last.rehearse_ms = counts_.prepare_ms - last.plan_ms - last.bind_ms;
  last.bind_ms += MsSince(ready) - times.run_ns * 1e-6;
  last.wait_ms =
      (times.wait_ns + static_cast<double>(RowWaitNs() - row_wait_ns)) * 1e-6;
  last.compute_ms = times.run_ns * 1e-6 - last.wait_ms;
  share_.weight_bytes = executable_->weight_bytes();
  ++counts_.runs;
  // All that the caller waited for, planning and reading included.
  const Budget& budget = options_.budget;
  const bool from_launch = budget.from_launch && counts_.runs == 1;
  const double waited_ms = from_launch ? MsSinceProcessStart() : MsSince(start);
  const double latency_ms = static_cast<double>(budget.latency.count()) * 1e-6;
  if (latency_ms > 0 && waited_ms > latency_ms) ++counts_.missed;
  Watch(inputs, times);
  return OkStatus();
}

int64_t ElasticRunner::RowWaitNs() const {
  int64_t ns = 0;
  for (const auto& table : executable_->tables()) {
    ns += table->counts().wait_ns;
  }
  return ns;
}

BudgetCounts ElasticRunner::Counts() const {
  BudgetCounts counts = counts_;
  const StreamCounts stream = executable_->stream_counts();
  counts.bytes_read = stream.bytes_read;
  counts.waits = stream.waits;
  counts.wait_ms = static_cast<double>(stream.wait_ns) * 1e-6;
  for (const auto& table : executable_->tables()) {
    counts.bytes_read += table->counts().bytes_read;
  }
  return counts;
}

std::optional<PlanReport> ElasticRunner::CurrentPlan() const {
  return plan().layers.empty() ? std::nullopt : std::optional(Report());
}

Result<std::string> ElasticRunner::SavePlan() const {
  if (plan().layers.empty()) return Executable::SavePlan();
  return ToText(Save());
}

Result<std::vector<Result<PlanReport>>> ElasticRunner::PlanVariants(
    std::span<const Budget> budgets) const {
  if (plan().layers.empty()) return Executable::PlanVariants(budgets);
  return stint::PlanVariants(whole_problem_, options_.policy, budgets);
}

PlanReport ElasticRunner::Report() const {
  PlanReport report = ReportPlan(problem(), plan());
  for (const auto& linear : executable_->coded_layers().linear()) {
    const auto stage = static_cast<size_t>(linear->stage());
    if (stage >= report.plan.size()) continue;  // bound to the whole meanwhile
    std::string& name = report.plan[stage].name;
    if (name.empty()) name = linear->node();
  }
  report.answers = AnswersKey(Save());
  report.expected =
      ExpectAnswers(package_->shards->catalog, plan().predicted.loss)
          .value_or(ExpectedAnswers());
  report.io_uring = executable_->io_note().empty();
  report.io_note = executable_->io_note();
  report.memory = memory_;
  if (!memory_.empty()) AddOther(report.fixed_bytes, &report.memory);
  report.keeps_latency = keeps_latency_;
  // Until runs say how busy the machine is, the rehearsal does.
  report.busy = counts_.runs < kTellingRuns
                    ? std::max(known_.busy, history_.busy())
                    : history_.busy();
  return report;
}

}  // namespace stint
