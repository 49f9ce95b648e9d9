#pragma once
// Loops that do nothing but what they measure: multiply-adds on registers and
// reads of memory. Not for computing anything.

#include <cstdint>
#include <span>

#include "core/platform/cpu_info.h"

namespace stint {

struct LimitLoops {
  const char* name;
  Isa isa;
  // Runs `steps` rounds of independent multiply-adds in fp32; `flops_per_step`
  // counts two per multiply-add.
  void (*spin_f32)(int64_t steps);
  double flops_per_step;
  // The same for products of bytes summed in int32; null where this ISA has no
  // instruction for that.
  void (*spin_s8)(int64_t steps);
  double ops_per_step;
  // Reads `count` floats, a multiple of 128 from an address that is one of 64
  // bytes, and returns their sum.
  float (*read)(const float* data, int64_t count);
};

std::span<const LimitLoops> LimitLoopsTable();

// The best row that runs on a machine of level `cap`.
const LimitLoops& PickLimitLoops(Isa cap);

}  // namespace stint
