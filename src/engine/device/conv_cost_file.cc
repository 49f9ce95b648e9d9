#include "engine/device/conv_cost_file.h"

namespace stint {
namespace {

MachineCache CacheOf(const std::string& folder, Isa isa, int threads) {
  return {folder, "conv", MachineKey::Here(isa, threads)};
}

}  // namespace

Result<std::shared_ptr<const ConvCosts>> LoadConvCosts(
    const std::string& folder, Isa isa, int threads) {
  if (folder.empty()) return NotFound("no cache folder");
  STINT_ASSIGN_OR_RETURN(const std::string text,
                         CacheOf(folder, isa, threads).Read());
  STINT_ASSIGN_OR_RETURN(ConvCosts costs, ConvCosts::Parse(text));
  return std::shared_ptr<const ConvCosts>(
      std::make_shared<ConvCosts>(std::move(costs)));
}

Status SaveConvCosts(const std::string& folder, Isa isa, int threads,
                     const ConvCosts& costs) {
  if (folder.empty()) return NotFound("no cache folder");
  return CacheOf(folder, isa, threads).Write(costs.ToText());
}

}  // namespace stint
