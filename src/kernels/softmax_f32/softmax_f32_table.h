#pragma once
// The fp32 softmax kernels, best first.

#include <cstdint>
#include <span>

#include "core/platform/cpu_info.h"

namespace stint {

struct SoftmaxF32Args {
  const float* x = nullptr;  // [outer, n, inner]
  float* y = nullptr;        // [outer, n, inner]
  int64_t outer = 0;
  int64_t n = 0;
  int64_t inner = 1;
  bool log = false;  // log-softmax
};

struct SoftmaxF32Kernel {
  const char* name;
  Isa isa;
  void (*run)(const SoftmaxF32Args& args);
};

std::span<const SoftmaxF32Kernel> SoftmaxF32Table();
const SoftmaxF32Kernel& PickSoftmaxF32(Isa cap);

}  // namespace stint
