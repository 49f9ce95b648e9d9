// How an executable takes another plan: its program is bound and its weights
// are read beside what is there, as far as memory allows; only then runs go by
// it.

#include <algorithm>

#include "core/platform/memory/memory.h"
#include "engine/elastic/elastic_executable.h"

namespace stint {
namespace {

// A program besides what binding and running it takes: its graph, and small
// constants of its own.
constexpr int64_t kGraphBytes = 1 << 20;
// What a run touches again after a phase has ended. The small models of
// elastic_field_test took up to 500 KB, yet with 512 KB some runs of sessions
// that share memory were over by 26 to 80 KB.
constexpr int64_t kRunBytes = 640 << 10;
// Besides weights, while two plans share memory.
constexpr int64_t kSpareBytes = 256 << 10;

// Bits of each slice, by stage.
std::vector<std::vector<int>> BitsBySlice(const Deployment& target) {
  std::vector<std::vector<int>> bits;
  for (size_t s = 0; s < target.plan.layers.size(); ++s) {
    const PlanLayer& layer = target.problem.layers[s];
    std::vector<int>& slices = bits.emplace_back();
    for (int i = 0; i < layer.slices(); ++i) {
      slices.push_back(BitsOf(layer, target.plan.layers[s], i));
    }
  }
  return bits;
}

StreamSetup SetupFor(const Deployment& target, const CodedLayers& layers) {
  StreamSetup setup;
  setup.units = layers.units();
  setup.ring_bytes = target.plan.ring_bytes;
  setup.request_bytes = target.problem.request_bytes;
  for (size_t s = 0; s < target.plan.layers.size(); ++s) {
    std::vector<int>& stage = setup.stages.emplace_back();
    const auto& groups = target.plan.layers[s].units;
    for (size_t g = 0; g < groups.size(); ++g) {
      for (size_t u = 0; u < groups[g].size(); ++u) {
        if (groups[g][u] == UnitUse::kUnused) continue;
        const int unit = layers.unit(static_cast<int>(s), g, u);
        stage.push_back(unit);
        setup.units[static_cast<size_t>(unit)].pinned =
            groups[g][u] == UnitUse::kPinned;
      }
    }
  }
  return setup;
}

// The setup with what is pinned before kept, too.
StreamSetup WithPinned(StreamSetup setup, const StreamSetup& before) {
  std::vector<bool> has(setup.units.size(), false);
  for (const std::vector<int>& stage : setup.stages) {
    for (int unit : stage) has[static_cast<size_t>(unit)] = true;
  }
  for (const std::vector<int>& stage : before.stages) {
    for (int unit : stage) {
      const auto u = static_cast<size_t>(unit);
      if (!before.units[u].pinned) continue;
      setup.units[u].pinned = true;
      if (!has[u] && !setup.stages.empty()) setup.stages[0].push_back(unit);
    }
  }
  return setup;
}

int64_t PinnedBytesOf(const StreamSetup& setup) {
  int64_t bytes = 0;
  for (const std::vector<int>& stage : setup.stages) {
    for (int unit : stage) {
      const StreamUnit& u = setup.units[static_cast<size_t>(unit)];
      if (u.pinned) bytes += u.bytes;
    }
  }
  return bytes;
}

}  // namespace

void ElasticExecutable::SetRehearsing(bool on, ElasticProgram* program) {
  rehearsing_ = on;
  for (auto& table : tables_) table->set_rehearsing(on);
  if (on) program->layers().SetPlanes(zeros_.data());
}

// Touches much that later runs do not.
Status ElasticExecutable::RunOnZeros(std::span<const Value> inputs,
                                     ElasticProgram* program) {
  GraphRunner& runner = program->runner();
  runner.DropPrograms();
  EndPhase();
  const int64_t before = ResidentBytes();
  runner.set_most_activation_bytes(RoomBytes());
  SetRehearsing(true, program);
  std::vector<Value> outputs;
  StepObserver* const observer = runner.set_observer(nullptr);
  const Status status = runner.RunInto(inputs, &outputs);
  runner.set_observer(observer);
  SetRehearsing(false, program);
  warm_.warm_up_bytes = std::max(warm_.warm_up_bytes, ResidentBytes() - before);
  EndPhase();
  return status;
}

Status ElasticExecutable::WarmUp(std::span<const Value> inputs) {
  placed_ = false;
  STINT_RETURN_IF_ERROR(Bind(-1));
  STINT_RETURN_IF_ERROR(RunOnZeros(inputs, program_.get()));
  warm_.shapes = InputShapes::Of(inputs);
  warm_.activation_bytes = runner()->BoundMemory().activation_bytes;
  return OkStatus();
}

Status ElasticExecutable::TouchRun(std::span<const Value> inputs) {
  placed_ = false;
  program_->layers().SetBits(package_->shards->catalog.bits);
  SetRehearsing(true, program_.get());
  std::vector<Value> outputs;
  const Status status = runner()->RunInto(inputs, &outputs);
  SetRehearsing(false, program_.get());
  return status;
}

Status ElasticExecutable::BindWithinLimit(std::span<const Value> inputs) {
  const int64_t before = ResidentBytes();
  runner()->set_most_activation_bytes(RoomBytes() - bind_bytes_);
  STINT_RETURN_IF_ERROR(runner()->BindTo(inputs));
  const int64_t taken = ResidentBytes() - before;
  const int64_t activations = runner()->BoundMemory().activation_bytes;
  rebind_bytes_ = std::max(rebind_bytes_, taken);
  bind_bytes_ = std::max(bind_bytes_, taken - activations);
  warm_.activation_bytes = std::max(warm_.activation_bytes, activations);
  return OkStatus();
}

Status ElasticExecutable::BindShapes(std::span<const Value> inputs) {
  if (options_.memory_bytes == 0 || runner()->IsBound(inputs)) {
    return OkStatus();
  }
  runner()->DropPrograms();
  const int64_t needed =
      rebind_bytes_ > 0 ? rebind_bytes_ + kSpareBytes : warm_.warm_up_bytes;
  // What binds a shape is not needed together with what runs.
  EndPhase();
  if (RoomBytes() < needed) DropRing();
  if (RoomBytes() < needed) STINT_RETURN_IF_ERROR(DropWeights());
  Status bound = BindWithinLimit(inputs);
  if (!bound.ok() && weight_bytes_ > 0) {
    STINT_RETURN_IF_ERROR(DropWeights());
    bound = BindWithinLimit(inputs);
  }
  EndPhase();
  return bound;
}

void ElasticExecutable::DropShapes() {
  runner()->DropPrograms();
  EndPhase();
}

bool ElasticExecutable::IsReadyFor(std::span<const Value> inputs) const {
  return placed_ && program_->runner().IsBound(inputs);
}

bool ElasticExecutable::HasRoomToRun() const {
  const int64_t weights =
      deployed_.plan.predicted.pinned_bytes + deployed_.plan.ring_bytes;
  const auto fits = [&] {
    return RoomBytes() + weight_bytes_ >= weights + kRunBytes;
  };
  if (fits()) return true;
  EndPhase();
  return fits();
}

Result<MeasuredLayers> ElasticExecutable::Rehearse(
    std::span<const Value> inputs) {
  STINT_RETURN_IF_ERROR(WarmUp(inputs));
  SetRehearsing(true, program_.get());
  auto costs = MeasureLayers(inputs, package_->shards->catalog.bits,
                             &program_->layers(), runner());
  SetRehearsing(false, program_.get());
  return costs;
}

Result<std::unique_ptr<ElasticProgram>> ElasticExecutable::MakeProgram(
    int sub_model) {
  const auto& networks = package_->shards->catalog.sub_networks;
  const SubNetwork* network =
      sub_model < 0 ? nullptr : &networks[static_cast<size_t>(sub_model)];
  STINT_ASSIGN_OR_RETURN(
      auto program, ElasticProgram::Create(*package_, network, coded_tables_,
                                           site_, pool_, this));
  GraphRunner& runner = program->runner();
  if (options_.memory_bytes > 0) runner.set_max_programs(1);
  runner.set_observer(observer_);
  runner.set_null_kernels(null_kernels_);
  return program;
}

Status ElasticExecutable::WarmUpProgram(ElasticProgram* program) {
  if (warm_.shapes.empty()) return OkStatus();
  STINT_ASSIGN_OR_RETURN(const auto zeros, warm_.shapes.Zeros());
  return RunOnZeros(zeros, program);
}

Status ElasticExecutable::Bind(int sub_model) {
  if (program_ != nullptr && sub_model == sub_model_) return OkStatus();
  if (program_ != nullptr && options_.memory_bytes > 0) {
    const int64_t needed = warm_.warm_up_bytes + kGraphBytes;
    if (RoomBytes() < needed) STINT_RETURN_IF_ERROR(DropWeights());
    // There is no room for two: the one that ends can be made again.
    if (RoomBytes() < needed) program_ = nullptr;
  }
  placed_ = false;
  auto program = MakeProgram(sub_model);
  if (!program.ok()) {
    if (program_ != nullptr) return program.status();
    STINT_ASSIGN_OR_RETURN(program_, MakeProgram(sub_model_));
    return program.status();
  }
  const Status warm = WarmUpProgram(program->get());
  // Everybody looks at the program that there is: a run binds its shapes.
  if (warm.ok() || program_ == nullptr) {
    program_ = *std::move(program);
    sub_model_ = sub_model;
  }
  return warm;
}

Status ElasticExecutable::DropWeights() {
  StreamSetup nothing;
  nothing.units = program_->layers().units();
  placed_ = false;
  return SetStream(std::move(nothing));
}

void ElasticExecutable::DropRing() {
  if (stream_->DropRing()) weight_bytes_ = PinnedBytesOf(stream_setup_);
  placed_ = false;
}

Status ElasticExecutable::SetStream(StreamSetup setup) {
  STINT_RETURN_IF_ERROR(stream_->Change(setup));
  stream_setup_ = std::move(setup);
  weight_bytes_ = PinnedBytesOf(stream_setup_) + stream_setup_.ring_bytes;
  return OkStatus();
}

// Beside the weights of the plan before where memory allows, so that an error
// leaves those; else what goes, goes first.
Status ElasticExecutable::ReadWeights(const Deployment& target) {
  const CodedLayers& layers = program_->layers();
  StreamSetup setup = SetupFor(target, layers);
  StreamSetup both = WithPinned(setup, stream_setup_);
  const int64_t together = PinnedBytesOf(both) + both.ring_bytes;
  // Binding has just ended a phase: code that reads is touched again.
  if (together - weight_bytes_ <= RoomBytes() - kRunBytes) {
    STINT_RETURN_IF_ERROR(SetStream(std::move(both)));
    STINT_RETURN_IF_ERROR(OfFile(stream_->ReadPinned()));
  }
  STINT_RETURN_IF_ERROR(SetStream(std::move(setup)));
  return OfFile(stream_->ReadPinned());
}

Status ElasticExecutable::Place(const Deployment& target, bool read_in_run) {
  placed_ = false;
  STINT_RETURN_IF_ERROR(Bind(target.plan.sub_model));
  // Binding and planning have touched about 1 MB that reading does not need.
  EndPhase();
  STINT_RETURN_IF_ERROR(read_in_run
                            ? SetStream(SetupFor(target, program_->layers()))
                            : ReadWeights(target));
  program_->layers().SetBits(BitsBySlice(target));
  EndPhase();
  placed_ = true;
  return OkStatus();
}

Status ElasticExecutable::Deploy(Deployment next, bool read_in_run) {
  const Status status = Place(next, read_in_run);
  if (status.ok()) {
    deployed_ = std::move(next);
  } else if (has_plan()) {
    // If this fails, too, the next run tries again and says why not.
    (void)Place(deployed_, /*read_in_run=*/false);
    EndPhase();
  }
  return status;
}

}  // namespace stint
