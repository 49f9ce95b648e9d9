#include "engine/device/code_cost_file.h"

#include "engine/device/cost_file.h"

namespace stint {

Result<std::shared_ptr<const CodeCosts>> LoadCodeCosts(
    const std::string& folder, Isa isa, int threads) {
  return LoadCosts<CodeCosts>("codes", folder, isa, threads);
}

std::shared_ptr<const CodeCosts> CodeCostsFor(const std::string& folder,
                                              Isa isa, int threads) {
  auto measured = LoadCodeCosts(folder, isa, threads);
  if (measured.ok()) return *std::move(measured);
  return std::make_shared<CodeCosts>(CodeCosts::Assumed(isa, threads));
}

Status SaveCodeCosts(const std::string& folder, Isa isa, int threads,
                     const CodeCosts& costs) {
  return SaveCosts("codes", folder, isa, threads, costs);
}

}  // namespace stint
