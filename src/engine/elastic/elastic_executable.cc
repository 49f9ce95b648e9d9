#include "engine/elastic/elastic_executable.h"

#include <algorithm>
#include <limits>

#include "core/platform/clock.h"
#include "core/platform/memory/memory.h"
#include "core/platform/memory/program_pages.h"

namespace stint {
namespace {

// Rows are small and few per text: this many reads in flight hide the latency
// of most of them.
constexpr int kRowDepth = 8;
constexpr int kUnitDepth = 8;
// How often a wait for weights looks whether the run was cancelled.
constexpr int64_t kLookNs = 20'000'000;

}  // namespace

ElasticExecutable::ElasticExecutable(const Package* package,
                                     const KernelSite& site, ThreadPool* pool,
                                     const ExecutableOptions& options)
    : package_(package),
      site_(site),
      pool_(pool),
      options_(options),
      device_(MakeSlowDevice(options.storage)) {}

Result<std::unique_ptr<ElasticExecutable>> ElasticExecutable::Create(
    const Package* package, const KernelSite& site, ThreadPool* pool,
    const ExecutableOptions& options) {
  if (package->shards == nullptr || package->shards->file == nullptr) {
    return InvalidArgument("the model is not an elastic file");
  }
  std::unique_ptr<ElasticExecutable> executable(
      new ElasticExecutable(package, site, pool, options));
  STINT_RETURN_IF_ERROR(executable->Open());
  return executable;
}

Result<OpenedReader> ElasticExecutable::OpenStorage(int depth) {
  ReaderOptions options;
  options.depth = depth;
  options.uring = options_.io_uring;
  options.device = device_;
  STINT_ASSIGN_OR_RETURN(OpenedReader opened,
                         OpenReader(package_->shards->file->path(), options));
  io_note_ = opened.fallback;
  if (options_.wrap_reader != nullptr) {
    opened.reader = options_.wrap_reader(std::move(opened.reader));
  }
  return opened;
}

Status ElasticExecutable::Open() {
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

Status ElasticExecutable::OpenTables() {
  const ShardCatalog& catalog = package_->shards->catalog;
  for (size_t t = 0; t < catalog.tables.size(); ++t) {
    const ShardTable& table = catalog.layout.tables[t];
    STINT_ASSIGN_OR_RETURN(OpenedReader reader, OpenStorage(kRowDepth));
    const int64_t cached =
        options_.row_cache_bytes / catalog.tables[t].stride();
    STINT_ASSIGN_OR_RETURN(
        auto rows,
        RowReader::Create(std::move(reader.reader), &catalog.tables[t],
                          table.rows, std::min(table.rows, cached)));
    tables_.push_back(std::make_unique<TableRows>(std::move(rows),
                                                  [this] { StartReading(); }));
    for (const std::string& node : table.nodes) {
      coded_tables_[node].rows = tables_.back().get();
    }
  }
  return OkStatus();
}

Status ElasticExecutable::OfFile(const Status& status) const {
  const bool read =
      status.code() == StatusCode::kDamaged || status.code() == StatusCode::kIo;
  return read ? status.Annotate(package_->shards->file->path()) : status;
}

void ElasticExecutable::set_memory_bytes(int64_t bytes) {
  if (options_.memory_bytes == 0 && bytes > 0) runner()->DropPrograms();
  options_.memory_bytes = bytes;
  runner()->set_max_programs(bytes > 0 ? 1 : GraphRunner::kMaxPrograms);
  if (bytes == 0) runner()->set_most_activation_bytes(RoomBytes());
}

void ElasticExecutable::set_warm(WarmShapes warm) {
  if (warm.shapes != warm_.shapes) runner()->DropPrograms();
  warm_ = std::move(warm);
}

int64_t ElasticExecutable::RoomBytes() const {
  return options_.memory_bytes == 0 ? std::numeric_limits<int64_t>::max()
                                    : options_.memory_bytes - ResidentBytes();
}

bool ElasticExecutable::IsShortOfRoom() const {
  constexpr int64_t kAmpleBytes = 256 << 20;
  return RoomBytes() < kAmpleBytes;
}

void ElasticExecutable::EndPhase() const {
  if (options_.memory_bytes == 0) return;
  const ShardFile& shards = *package_->shards;
  shards.file->Release(shards.bytes);
  ReleaseFreeHeap();
  ReleaseProgramPages();
}

void ElasticExecutable::set_observer(StepObserver* observer) {
  observer_ = observer;
  runner()->set_observer(observer);
}

void ElasticExecutable::set_null_kernels(bool on) {
  null_kernels_ = on;
  runner()->set_null_kernels(on);
}

Status ElasticExecutable::RunInto(std::span<const Value> inputs,
                                  std::vector<Value>* outputs,
                                  const RunLimits& limits, Times* times) {
  Status ready = BindShapes(inputs);
  if (ready.ok() && !placed_) {
    ready = Place(deployed_, /*read_in_run=*/true);
    // It may have made another program.
    if (ready.ok()) ready = BindShapes(inputs);
    if (ready.ok() && !placed_) ready = Place(deployed_, /*read_in_run=*/true);
  }
  if (!ready.ok()) EndPhase();
  STINT_RETURN_IF_ERROR(ready);
  const int64_t waited = stream_->counts().wait_ns;
  const int64_t start = NowNs();
  limits_ = limits;
  stage_ = -1;
  reading_ = false;
  if (tables_.empty()) StartReading();
  const Status status = runner()->RunInto(inputs, outputs, limits);
  if (reading_) stream_->EndRun();
  // Ways that are taken by errors alone touch pages, too.
  if (!status.ok()) EndPhase();
  STINT_RETURN_IF_ERROR(OfFile(status));
  times->run_ns = static_cast<double>(NowNs() - start);
  times->wait_ns = static_cast<double>(stream_->counts().wait_ns - waited);
  return OkStatus();
}

void ElasticExecutable::StartReading() {
  if (reading_ || rehearsing_) return;
  reading_ = true;
  stream_->BeginRun();
}

Status ElasticExecutable::Enter(int stage) {
  if (rehearsing_) return OkStatus();
  if (stage == stage_) {
    stream_->Poll();
    return OkStatus();
  }
  StartReading();
  const Plan& plan = deployed_.plan;
  const int awaited =
      plan.overlaps ? stage : static_cast<int>(plan.layers.size()) - 1;
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

void ElasticExecutable::Leave(int stage) {
  if (rehearsing_) return;
  if (--left_ > 0) {
    stream_->Poll();
  } else {
    stream_->Release(stage);
  }
}

}  // namespace stint
