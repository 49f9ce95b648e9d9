#pragma once
// The measured convolutions of this machine, between runs.

#include <memory>
#include <string>

#include "engine/device/conv_costs.h"
#include "engine/device/machine_cache.h"

namespace stint {

// kNotFound when nothing was measured for this ISA and number of threads (one
// failed open), kDamaged when the file cannot be used.
Result<std::shared_ptr<const ConvCosts>> LoadConvCosts(
    const std::string& folder, Isa isa, int threads);

Status SaveConvCosts(const std::string& folder, Isa isa, int threads,
                     const ConvCosts& costs);

}  // namespace stint
