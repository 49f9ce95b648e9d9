#include "api/device/session_state.h"

#include <algorithm>

#include "api/device/opencl_executable.h"
#include "api/device/plain_executable.h"
#include "engine/elastic/elastic_runner.h"
#include "engine/elastic/full/full_runner.h"

namespace stint {
namespace {

Result<StorageRate> StorageOf(const LabOptions& lab) {
  return lab.storage.empty() ? StorageRate() : ParseStorageRate(lab.storage);
}

}  // namespace

Session::State::~State() {
  const std::lock_guard<std::mutex> lock(shared->running);
  executable = nullptr;
}

int64_t Session::State::MemoryLimit() const {
  const auto planned =
      executable == nullptr ? std::nullopt : executable->CurrentBudget();
  const int64_t own = planned.value_or(options.budget).memory_bytes;
  if (shared->shares == nullptr) return own;
  const int64_t all = shared->shares->budget_bytes();
  return own == 0 ? all : std::min(own, all);
}

Status Session::State::Open() {
  const bool opencl = options.device != SessionOptions().device;
  auto made =
      IsFullPolicy(options.lab.policy)   ? MakeFull()
      : precision() == Precision::kCodes ? MakeElastic()
      : opencl ? OpenClExecutable::Create(package(), site, &shared->pool,
                                          options.device, shared->cache_folder)
               : MakePlain();
  STINT_RETURN_IF_ERROR(made.status());
  executable = *std::move(made);
  recorder.set_delay_ns(static_cast<int64_t>(options.lab.step_delay_us * 1e3));
  if (options.profile || options.lab.step_delay_us > 0) {
    executable->Observe(&recorder);
  }
  return OkStatus();
}

Result<std::unique_ptr<Executable>> Session::State::MakeElastic() {
  ElasticRunOptions elastic;
  elastic.budget = options.budget;
  elastic.shares = shared->shares;
  elastic.policy = options.lab.policy;
  elastic.explain_memory = options.explain_memory;
  elastic.cache_folder = shared->cache_folder;
  if (!options.plan.empty()) {
    STINT_ASSIGN_OR_RETURN(elastic.saved, ParseSavedPlan(options.plan));
  }
  STINT_ASSIGN_OR_RETURN(elastic.storage, StorageOf(options.lab));
  STINT_ASSIGN_OR_RETURN(
      auto runner,
      ElasticRunner::Create(package(), site, &shared->pool, elastic));
  runner->set_null_kernels(options.lab.null_kernels);
  return std::unique_ptr<Executable>(std::move(runner));
}

Result<std::unique_ptr<Executable>> Session::State::MakeFull() {
  FullRunOptions full;
  full.budget = options.budget;
  full.budget.memory_bytes = MemoryLimit();
  full.policy = options.lab.policy;
  STINT_ASSIGN_OR_RETURN(full.storage, StorageOf(options.lab));
  STINT_ASSIGN_OR_RETURN(
      auto runner, FullRunner::Create(package(), site, &shared->pool, full));
  return std::unique_ptr<Executable>(std::move(runner));
}

Result<std::unique_ptr<Executable>> Session::State::MakePlain() {
  PlainOptions plain;
  plain.memory_bytes = MemoryLimit();
  plain.shares = shared->shares;
  plain.calibration_runs = options.calibration_runs;
  plain.null_kernels = options.lab.null_kernels;
  return PlainExecutable::Create(package(), site, &shared->pool, plain);
}

}  // namespace stint
