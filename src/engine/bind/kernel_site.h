#pragma once
// Where a kernel is going to run, and in which arithmetic.

#include <optional>
#include <string_view>

#include "core/platform/cpu_info.h"

namespace stint {

// Of matrix products and convolutions with constant weights; everything else is
// computed in float32.
enum class Precision {
  kFloat32,
  kBFloat16,  // weights in bfloat16, on AMX inputs too
  kInt8,      // weights per output channel, activations per row
};

std::string_view PrecisionName(Precision precision);  // "fp32", "bf16", "int8"
std::optional<Precision> ParsePrecision(std::string_view name);

struct KernelSite {
  Isa isa = Isa::kBaseline;
  int threads = 1;
  Precision precision = Precision::kFloat32;
};

}  // namespace stint
