#include "engine/device/conv_cost_file.h"

#include "engine/device/cost_file.h"

namespace stint {

Result<std::shared_ptr<const ConvCosts>> LoadConvCosts(
    const std::string& folder, Isa isa, int threads) {
  return LoadCosts<ConvCosts>("conv", folder, isa, threads);
}

Status SaveConvCosts(const std::string& folder, Isa isa, int threads,
                     const ConvCosts& costs) {
  return SaveCosts("conv", folder, isa, threads, costs);
}

}  // namespace stint
