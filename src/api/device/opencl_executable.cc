#include "api/device/opencl_executable.h"

namespace stint {

Result<std::unique_ptr<Executable>> OpenClExecutable::Create(
    Package* package, const KernelSite& site, ThreadPool* pool,
    const std::string& device, const std::string& cache_folder) {
  std::unique_ptr<OpenClExecutable> executable(new OpenClExecutable(package));
  PlainWeights& weights = executable->weights_;
  STINT_RETURN_IF_ERROR(weights.Restore());
  STINT_ASSIGN_OR_RETURN(auto opened,
                         OpenClDevice::Open(device, {cache_folder, {}}));
  executable->runner_ = std::make_unique<OpenClRunner>(
      &weights.graph(), std::move(opened), site, pool);
  executable->runner_->set_release(
      [&weights](ValueId id) { weights.Release(id); });
  return std::unique_ptr<Executable>(std::move(executable));
}

}  // namespace stint
