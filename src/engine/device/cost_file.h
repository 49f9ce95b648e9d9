#pragma once
// Measured costs of this machine, between runs: a type with ToText() and
// Parse() in a file of its kind.

#include <memory>
#include <string>
#include <string_view>

#include "engine/device/machine_cache.h"

namespace stint {

// kNotFound when nothing was measured for this ISA and number of threads (one
// failed open), kDamaged when the file cannot be used.
template <class Costs>
Result<std::shared_ptr<const Costs>> LoadCosts(std::string_view kind,
                                               const std::string& folder,
                                               Isa isa, int threads) {
  if (folder.empty()) return NotFound("no cache folder");
  STINT_ASSIGN_OR_RETURN(
      const std::string text,
      MachineCache(folder, kind, MachineKey::Here(isa, threads)).Read());
  STINT_ASSIGN_OR_RETURN(Costs costs, Costs::Parse(text));
  return std::shared_ptr<const Costs>(
      std::make_shared<Costs>(std::move(costs)));
}

template <class Costs>
Status SaveCosts(std::string_view kind, const std::string& folder, Isa isa,
                 int threads, const Costs& costs) {
  if (folder.empty()) return NotFound("no cache folder");
  return MachineCache(folder, kind, MachineKey::Here(isa, threads))
      .Write(costs.ToText());
}

}  // namespace stint
