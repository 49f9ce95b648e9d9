#pragma once
// Where a kernel is going to run.

#include "core/platform/cpu_info.h"

namespace stint {

struct KernelSite {
  Isa isa = Isa::kBaseline;
  int threads = 1;
};

}  // namespace stint
