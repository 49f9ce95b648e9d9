#include "engine/elastic/elastic_runner.h"

#include <algorithm>

#include "core/platform/cache_folder.h"
#include "core/platform/clock.h"
#include "core/platform/memory.h"
#include "core/platform/program_pages.h"
#include "engine/device/code_cost_file.h"
#include "engine/device/device_profile_file.h"
#include "engine/elastic/make_problem.h"
#include "engine/elastic/report_plan.h"
#include "engine/plan/policies.h"
#include "engine/plan/predict.h"

namespace stint {
namespace {

// What the process may still touch after the rehearsal: results, stacks of
// threads, and code of the caller, whose pages count, too (0.3 to 0.4 MB in the
// command line).
constexpr int64_t kMarginBytes = 448 << 10;
// Rows are small and few per text: this many reads in flight hide the latency
// of most of them.
constexpr int kRowDepth = 8;
constexpr int kUnitDepth = 8;
// How often a session looks whether the system is short of memory.
constexpr int64_t kLookForPressureNs = 200'000'000;
// How often a wait for weights looks whether the run was cancelled.
constexpr int64_t kLookNs = 20'000'000;

// A part of the budget keeps the rows of frequent words, of which a text has
// many: each that is missing costs a read of a whole block.
int64_t RowCacheBytes(const Budget& budget) {
  if (budget.memory_bytes == 0) return 1 << 20;
  return std::clamp<int64_t>(budget.memory_bytes / 32, 64 << 10, 1 << 20);
}

int64_t SizeOf(std::span<const Value> inputs) {
  int64_t size = 0;
  for (const Value& input : inputs) {
    if (input.is_tensor()) size += std::max<int64_t>(1, input.tensor().size());
  }
  return size;
}

}  // namespace

ElasticRunner::ElasticRunner(const Package* package, const KernelSite& site,
                             ThreadPool* pool, const ElasticRunOptions& options)
    : package_(package),
      site_(site),
      pool_(pool),
      options_(options),
      device_(MakeSlowDevice(options.storage)),
      pressure_(options.system_root) {}

Result<std::unique_ptr<ElasticRunner>> ElasticRunner::Create(
    const Package* package, const KernelSite& site, ThreadPool* pool,
    const ElasticRunOptions& options) {
  std::unique_ptr<ElasticRunner> runner(
      new ElasticRunner(package, site, pool, options));
  STINT_RETURN_IF_ERROR(runner->Open());
  return runner;
}

Result<OpenedReader> ElasticRunner::OpenStorage(int depth) {
  ReaderOptions options;
  options.depth = depth;
  options.uring = options_.io_uring;
  options.device = device_;
  STINT_ASSIGN_OR_RETURN(OpenedReader opened,
                         OpenReader(package_->shards->file->path(), options));
  io_note_ = opened.fallback;
  return opened;
}

Status ElasticRunner::Open() {
  if (package_->shards == nullptr || package_->shards->file == nullptr) {
    return InvalidArgument("the model is not an elastic file");
  }
  STINT_RETURN_IF_ERROR(OpenTables());
  STINT_RETURN_IF_ERROR(Bind(-1));
  const CodedLayers& layers = program_->layers();
  for (int s = 0; s < layers.stages(); ++s) layers_.push_back(layers.layer(s));
  StreamSetup setup;
  setup.units = layers.units();
  STINT_ASSIGN_OR_RETURN(OpenedReader reader, OpenStorage(kUnitDepth));
  STINT_ASSIGN_OR_RETURN(
      stream_, UnitStream::Create(std::move(reader.reader), std::move(setup)));
  STINT_ASSIGN_OR_RETURN(zeros_,
                         ReservedPages::Reserve(layers.most_plane_bytes()));
  return OkStatus();
}

Status ElasticRunner::Bind(int sub_model) {
  if (program_ != nullptr && sub_model == sub_model_) return OkStatus();
  const auto& networks = package_->shards->catalog.sub_networks;
  const SubNetwork* network =
      sub_model < 0 ? nullptr : &networks[static_cast<size_t>(sub_model)];
  program_ = nullptr;  // first, so that there are never two in memory
  STINT_ASSIGN_OR_RETURN(
      program_, ElasticProgram::Create(*package_, network, coded_tables_, site_,
                                       pool_, this));
  sub_model_ = sub_model;
  if (options_.budget.memory_bytes > 0) runner()->set_max_programs(1);
  runner()->set_observer(observer_);
  runner()->set_null_kernels(null_kernels_);
  return OkStatus();
}

void ElasticRunner::set_observer(StepObserver* observer) {
  observer_ = observer;
  runner()->set_observer(observer);
}

void ElasticRunner::set_null_kernels(bool on) {
  null_kernels_ = on;
  runner()->set_null_kernels(on);
}

Status ElasticRunner::OpenTables() {
  const ShardCatalog& catalog = package_->shards->catalog;
  const int64_t cache = RowCacheBytes(options_.budget);
  for (size_t t = 0; t < catalog.tables.size(); ++t) {
    const ShardTable& table = catalog.layout.tables[t];
    STINT_ASSIGN_OR_RETURN(OpenedReader reader, OpenStorage(kRowDepth));
    STINT_ASSIGN_OR_RETURN(
        auto rows,
        RowReader::Create(
            std::move(reader.reader), &catalog.tables[t], table.rows,
            std::min(table.rows, cache / catalog.tables[t].stride())));
    tables_.push_back(std::make_unique<TableRows>(std::move(rows),
                                                  [this] { StartReading(); }));
    for (const std::string& node : table.nodes) {
      coded_tables_[node].rows = tables_.back().get();
    }
  }
  return OkStatus();
}

// Once to bind the program to the shapes, which touches much that runs do not,
// then to look at the clock.
Result<LayerCosts> ElasticRunner::TimeLayers(std::span<const Value> inputs,
                                             CodedLayers* layers) {
  EndPhase();
  std::vector<Value> outputs;
  STINT_RETURN_IF_ERROR(runner()->RunInto(inputs, &outputs));
  EndPhase();
  return MeasureLayers(inputs, package_->shards->catalog.bits, layers,
                       runner());
}

void ElasticRunner::EndPhase() const {
  if (options_.budget.memory_bytes == 0) return;
  const ShardFile& shards = *package_->shards;
  shards.file->Release(shards.bytes);
  ReleaseFreeHeap();
  ReleaseProgramPages();
}

Status ElasticRunner::Rehearse(std::span<const Value> inputs) {
  STINT_RETURN_IF_ERROR(Bind(-1));
  CodedLayers& layers = program_->layers();
  rehearsing_ = true;
  for (auto& table : tables_) table->set_rehearsing(true);
  layers.SetPlanes(zeros_.data());
  auto costs = TimeLayers(inputs, &layers);
  rehearsing_ = false;
  for (auto& table : tables_) table->set_rehearsing(false);
  if (!costs.ok()) return costs.status();
  costs_ = *std::move(costs);
  rehearsed_ = true;
  const int64_t weights =
      plan_.predicted.pinned_bytes + plan_.ring_bytes;  // there already
  fixed_bytes_ = std::max<int64_t>(0, ResidentBytes() - weights) + kMarginBytes;
  return OkStatus();
}

Status ElasticRunner::MakePlan() {
  EndPhase();
  ProblemInputs inputs;
  inputs.catalog = &package_->shards->catalog;
  inputs.layers = layers_;
  inputs.costs = costs_;
  const auto profile =
      LoadDeviceProfile(CacheFolder(), site_.isa, site_.threads);
  inputs.read = ReadCostOf(
      ReadTimesOf(profile.ok() ? *profile : DeviceProfile(), options_.storage));
  for (const auto& table : tables_) {
    const RowCounts counts = table->counts();
    const double missing = counts.rows_wanted == 0
                               ? 1
                               : static_cast<double>(counts.rows_read) /
                                     static_cast<double>(counts.rows_wanted);
    inputs.rows_ns += inputs.read.latency_ns +
                      missing * static_cast<double>(table->wanted()) *
                          inputs.read.ns(kBlockBytes);
  }
  inputs.Scale(history_.compute_scale(), history_.read_scale());
  inputs.fixed_bytes = fixed_bytes_;
  inputs.budget = options_.budget;
  if (allowed_bytes_ > 0) inputs.budget.memory_bytes = allowed_bytes_;
  inputs.slowdown = history_.Slowdown(options_.budget.percentile);
  PlanProblem problem = MakeProblem(inputs);
  whole_problem_ = problem;
  // Later budgets hold from then on: what was taken before is past.
  const int64_t peak = plan_.layers.empty() ? PeakResidentBytes() : 0;
  if (problem.memory_bytes > 0 && peak > problem.memory_bytes) {
    return BudgetInfeasible("memory " + std::to_string(problem.memory_bytes) +
                            " bytes: the process has taken " +
                            std::to_string(peak) + " without weights");
  }
  STINT_ASSIGN_OR_RETURN(const Plan plan, MakePlanBy(options_.policy, problem));
  if (plan.sub_model < 0) return Apply(problem, plan);
  return Apply(
      Restrict(problem,
               problem.sub_models[static_cast<size_t>(plan.sub_model)]),
      plan);
}

Status ElasticRunner::Apply(const PlanProblem& problem, const Plan& plan) {
  STINT_RETURN_IF_ERROR(Bind(plan.sub_model));
  CodedLayers& layers = program_->layers();
  StreamSetup setup;
  setup.units = layers.units();
  setup.ring_bytes = plan.ring_bytes;
  setup.request_bytes = problem.request_bytes;
  std::vector<std::vector<int>> bits;
  for (size_t s = 0; s < plan.layers.size(); ++s) {
    std::vector<int>& stage = setup.stages.emplace_back();
    const auto& groups = plan.layers[s].units;
    for (size_t g = 0; g < groups.size(); ++g) {
      for (size_t u = 0; u < groups[g].size(); ++u) {
        if (groups[g][u] == UnitUse::kUnused) continue;
        const int unit = layers.unit(static_cast<int>(s), g, u);
        stage.push_back(unit);
        setup.units[static_cast<size_t>(unit)].pinned =
            groups[g][u] == UnitUse::kPinned;
      }
    }
    std::vector<int>& slices = bits.emplace_back();
    for (int i = 0; i < problem.layers[s].slices(); ++i) {
      slices.push_back(BitsOf(problem.layers[s], plan.layers[s], i));
    }
  }
  STINT_RETURN_IF_ERROR(stream_->Change(std::move(setup)));
  STINT_RETURN_IF_ERROR(OfFile(stream_->ReadPinned()));
  layers.SetBits(bits);
  problem_ = problem;
  plan_ = plan;
  history_.Restart();
  EndPhase();
  return OkStatus();
}

// Without a budget everything is in memory whatever it costs, and the first
// answer need not wait for a rehearsal.
void ElasticRunner::Estimate(std::span<const Value> inputs) {
  const int64_t rows =
      inputs.empty() || !inputs[0].is_tensor() || inputs[0].tensor().rank() > 2
          ? 1
          : std::max<int64_t>(1, inputs[0].tensor().size());
  costs_ = EstimateLayers(
      rows, *CodeCostsFor(CacheFolder(), site_.isa, site_.threads),
      program_->layers());
  fixed_bytes_ = ResidentBytes() + kMarginBytes;
}

Status ElasticRunner::OfFile(const Status& status) const {
  const bool read =
      status.code() == StatusCode::kDamaged || status.code() == StatusCode::kIo;
  return read ? status.Annotate(package_->shards->file->path()) : status;
}

Status ElasticRunner::Prepare(std::span<const Value> inputs) {
  const Budget& budget = options_.budget;
  if (budget.latency.count() == 0 && budget.memory_bytes == 0) {
    STINT_RETURN_IF_ERROR(Bind(-1));
    Estimate(inputs);
  } else {
    STINT_RETURN_IF_ERROR(Rehearse(inputs));
  }
  STINT_RETURN_IF_ERROR(MakePlan());
  prepared_size_ = SizeOf(inputs);
  prepared_inputs_.assign(inputs.begin(), inputs.end());
  return OkStatus();
}

Status ElasticRunner::SetBudget(const Budget& budget) {
  const Budget before = options_.budget;
  options_.budget = budget;
  allowed_bytes_ = 0;
  if (prepared_size_ == 0) return OkStatus();
  const Status status = rehearsed_ ? MakePlan() : Prepare(prepared_inputs_);
  if (status.ok()) {
    ++counts_.replans;
  } else {
    options_.budget = before;
  }
  return status;
}

Status ElasticRunner::RunInto(std::span<const Value> inputs,
                              std::vector<Value>* outputs,
                              const RunLimits& limits) {
  if (SizeOf(inputs) > prepared_size_) STINT_RETURN_IF_ERROR(Prepare(inputs));
  const StreamCounts before = stream_->counts();
  const int64_t start = NowNs();
  limits_ = limits;
  stage_ = -1;
  reading_ = false;
  if (tables_.empty()) StartReading();
  const Status status = runner()->RunInto(inputs, outputs, limits);
  if (reading_) stream_->EndRun();
  STINT_RETURN_IF_ERROR(OfFile(status));
  const auto run_ns = static_cast<double>(NowNs() - start);
  const auto wait_ns =
      static_cast<double>(stream_->counts().wait_ns - before.wait_ns);
  ++counts_.runs;
  const auto latency = static_cast<double>(options_.budget.latency.count());
  if (latency > 0 && run_ns > latency) ++counts_.missed;
  STINT_RETURN_IF_ERROR(YieldMemory());
  // Shorter inputs say nothing of the plan.
  if (SizeOf(inputs) < prepared_size_) return OkStatus();
  return Refit(run_ns, wait_ns);
}

Status ElasticRunner::YieldMemory() {
  const int64_t now = NowNs();
  if (now - looked_ns_ < kLookForPressureNs) return OkStatus();
  looked_ns_ = now;
  if (!pressure_.Rose()) return OkStatus();
  const int64_t weights = plan_.predicted.pinned_bytes + plan_.ring_bytes;
  const int64_t before = allowed_bytes_;
  allowed_bytes_ = plan_.predicted.peak_bytes - weights / 4;
  const Status status = MakePlan();
  if (status.code() == StatusCode::kBudgetInfeasible) {
    allowed_bytes_ = before;  // there is nothing to give
    return OkStatus();
  }
  ++counts_.replans;
  return status;
}

Status ElasticRunner::Refit(double run_ns, double wait_ns) {
  const double compute = ComputeNs(problem_, plan_.layers);
  history_.Add({run_ns - wait_ns, compute, run_ns,
                plan_.predicted.latency_ns / problem_.slowdown});
  if (options_.budget.latency.count() == 0 || !history_.Drifted()) {
    return OkStatus();
  }
  ++counts_.replans;
  const Status status = MakePlan();
  // A budget that can no longer be kept is missed and counted.
  if (status.code() == StatusCode::kBudgetInfeasible) {
    history_.Restart();
    return OkStatus();
  }
  return status;
}

void ElasticRunner::StartReading() {
  if (reading_ || rehearsing_) return;
  reading_ = true;
  stream_->BeginRun();
}

Status ElasticRunner::Enter(int stage) {
  if (rehearsing_ || stage == stage_) return OkStatus();
  StartReading();
  const int awaited =
      plan_.overlaps ? stage : static_cast<int>(plan_.layers.size()) - 1;
  while (true) {
    const Status status = stream_->Await(awaited, kLookNs);
    if (status.ok()) break;
    if (status.code() != StatusCode::kCancelled) return status;
    STINT_RETURN_IF_ERROR(CheckLimits(limits_));
  }
  program_->layers().SetPlanes(
      stage, [this](int unit) { return stream_->Data(unit); });
  stage_ = stage;
  left_ = program_->layers().nodes(stage);
  return OkStatus();
}

void ElasticRunner::Leave(int stage) {
  if (rehearsing_ || --left_ > 0) return;
  stream_->Release(stage);
}

BudgetCounts ElasticRunner::Counts() const {
  BudgetCounts counts = counts_;
  const StreamCounts stream = stream_->counts();
  counts.bytes_read = stream.bytes_read;
  counts.waits = stream.waits;
  counts.wait_ms = static_cast<double>(stream.wait_ns) * 1e-6;
  for (const auto& table : tables_) {
    counts.bytes_read += table->counts().bytes_read;
  }
  return counts;
}

PlanReport ElasticRunner::Report() const {
  PlanReport report = ReportPlan(problem_, plan_);
  for (const auto& linear : program_->layers().linear()) {
    std::string& name = report.plan[static_cast<size_t>(linear->stage())].name;
    if (name.empty()) name = linear->node();
  }
  report.io_uring = io_note_.empty();
  report.io_note = io_note_;
  return report;
}

}  // namespace stint
