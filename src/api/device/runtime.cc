#include "stint/runtime.h"

#include <optional>

#include "api/device/runtime_state.h"

namespace stint {

Result<Runtime> Runtime::Create(const RuntimeOptions& options) {
  std::optional<Isa> cap = Isa::kAmx;
  if (!options.isa.empty()) {
    cap = ParseIsa(options.isa);
    if (!cap) {
      return InvalidArgument("isa is '" + options.isa +
                             "', expected sse2, avx2, avx512, vnni or amx");
    }
  }
  if (options.threads < 0 || options.threads > 1024) {
    return InvalidArgument("threads is " + std::to_string(options.threads) +
                           ", expected 0 to 1024");
  }
  if (options.memory_bytes < 0) {
    return InvalidArgument("memory is " + std::to_string(options.memory_bytes) +
                           " bytes, expected 0 or more");
  }
  const int threads = options.threads > 0 ? options.threads : AvailableCpus();
  return Runtime(
      std::make_shared<State>(threads, DetectIsa(*cap), options.memory_bytes));
}

int Runtime::threads() const { return state_->pool.threads(); }

std::string Runtime::isa() const { return std::string(IsaName(state_->isa)); }

}  // namespace stint
