#include "stint/runtime.h"

#include "api/device/runtime_state.h"
#include "core/platform/cache_folder.h"
#include "core/platform/memory/program_pages.h"

namespace stint {

Result<Runtime> Runtime::Create(const RuntimeOptions& options) {
  if (options.threads < 0 || options.threads > 1024) {
    return InvalidArgument("threads is " + std::to_string(options.threads) +
                           ", expected 0 to 1024");
  }
  if (options.memory_bytes < 0) {
    return InvalidArgument("memory is " + std::to_string(options.memory_bytes) +
                           " bytes, expected 0 or more");
  }
  const int threads = options.threads > 0 ? options.threads : AvailableCpus();
  const Isa isa = DetectIsa(options.isa.value_or(Isa::kAmx));
  return Runtime(std::make_shared<State>(
      threads, isa, options.memory_bytes,
      options.cache_folder ? *options.cache_folder : CacheFolder()));
}

void ReleaseUnusedMemory() {
  ReleaseFreeHeap();
  ReleaseProgramPages();
}

int Runtime::threads() const { return state_->pool.threads(); }

Isa Runtime::isa() const { return state_->isa; }

}  // namespace stint
