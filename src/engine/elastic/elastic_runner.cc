#include "engine/elastic/elastic_runner.h"

#include <algorithm>

#include "core/platform/clock.h"
#include "engine/elastic/report_plan.h"
#include "engine/plan/plan_answers.h"

namespace stint {
namespace {

// Rows are small and few per text: this many reads in flight hide the latency
// of most of them.
constexpr int kRowDepth = 8;
constexpr int kUnitDepth = 8;
// How often a wait for weights looks whether the run was cancelled.
constexpr int64_t kLookNs = 20'000'000;

// A part of the budget keeps the rows of frequent words, of which a text has
// many: each that is missing costs a read of a whole block.
int64_t RowCacheBytes(const Budget& budget) {
  if (budget.memory_bytes == 0) return 1 << 20;
  return std::clamp<int64_t>(budget.memory_bytes / 32, 64 << 10, 1 << 20);
}

}  // namespace

int64_t SizeOf(std::span<const Value> inputs) {
  int64_t size = 0;
  for (const Value& input : inputs) {
    if (input.is_tensor()) size += std::max<int64_t>(1, input.tensor().size());
  }
  return size;
}

ElasticRunner::ElasticRunner(const Package* package, const KernelSite& site,
                             ThreadPool* pool, const ElasticRunOptions& options)
    : package_(package),
      site_(site),
      pool_(pool),
      options_(options),
      device_(MakeSlowDevice(options.storage)),
      pressure_(options.system_root) {
  // What a plan was made for holds on, unless another budget is given.
  if (options_.saved.has_value() && options_.budget.memory_bytes == 0) {
    options_.budget.memory_bytes = options_.saved->memory_bytes;
  }
  SetLimits(options_.budget);
}

ElasticRunner::~ElasticRunner() {
  if (options_.shares != nullptr) options_.shares->Leave(&share_);
}

void ElasticRunner::SetLimits(const Budget& budget) {
  options_.budget = budget;
  if (options_.shares == nullptr) return;
  const int64_t shared = options_.shares->budget_bytes();
  int64_t& memory = options_.budget.memory_bytes;
  memory = memory == 0 ? shared : std::min(memory, shared);
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
  share_.release = [this] { (void)DropWeights(); };
  options_.shares->Join(&share_);
}

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
  JoinShares();
  STINT_RETURN_IF_ERROR(OpenTables());
  STINT_RETURN_IF_ERROR(Bind(-1));
  const CodedLayers& layers = program_->layers();
  for (int s = 0; s < layers.stages(); ++s) layers_.push_back(layers.layer(s));
  StreamSetup setup;
  setup.units = layers.units();
  STINT_ASSIGN_OR_RETURN(OpenedReader reader, OpenStorage(kUnitDepth));
  STINT_ASSIGN_OR_RETURN(stream_, UnitStream::Create(std::move(reader.reader),
                                                     std::move(setup), pool_));
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

Status ElasticRunner::RunInto(std::span<const Value> inputs,
                              std::vector<Value>* outputs,
                              const RunLimits& limits) {
  if (SizeOf(inputs) > prepared_size_) {
    STINT_RETURN_IF_ERROR(Prepare(inputs));
  } else if (share_.stale) {
    STINT_RETURN_IF_ERROR(Replan());
  }
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

void ElasticRunner::StartReading() {
  if (reading_ || rehearsing_) return;
  reading_ = true;
  stream_->BeginRun();
}

Status ElasticRunner::Enter(int stage) {
  if (rehearsing_) return OkStatus();
  if (stage == stage_) {
    stream_->Poll();
    return OkStatus();
  }
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
  if (rehearsing_) return;
  if (--left_ > 0) {
    stream_->Poll();
  } else {
    stream_->Release(stage);
  }
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
  report.answers = AnswersKey(Save());
  report.io_uring = io_note_.empty();
  report.io_note = io_note_;
  return report;
}

}  // namespace stint
