#pragma once
// The measured products on codes of this machine, between runs.

#include <memory>
#include <string>

#include "engine/device/code_costs.h"

namespace stint {

// kNotFound when nothing was measured for this ISA and number of threads (one
// failed open), kDamaged when the file cannot be used.
Result<std::shared_ptr<const CodeCosts>> LoadCodeCosts(
    const std::string& folder, Isa isa, int threads);
// The same, or else what is assumed.
std::shared_ptr<const CodeCosts> CodeCostsFor(const std::string& folder,
                                              Isa isa, int threads);

Status SaveCodeCosts(const std::string& folder, Isa isa, int threads,
                     const CodeCosts& costs);

}  // namespace stint
