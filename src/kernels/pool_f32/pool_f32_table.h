#pragma once
// The fp32 pooling kernels, best first, and what each is handed: one padded
// plane.

#include <cstdint>
#include <span>

#include "core/platform/cpu_info.h"
#include "kernels/simd/padded_plane.h"

namespace stint {

struct PoolPlane {
  const PaddedPlane* plane;
  const float* x;        // padded with -inf or 0
  const float* count_h;  // [h.out], inputs that count per window; average only
  const float* count_w;  // [w.out]
  float* y;              // [h.out, w.out]
};

struct PoolF32Kernel {
  const char* name;
  Isa isa;
  void (*max)(const PoolPlane& pool);
  void (*average)(const PoolPlane& pool);
  float (*sum)(const float* x, int64_t n);
};

std::span<const PoolF32Kernel> PoolF32Table();
const PoolF32Kernel& PickPoolF32(Isa cap);

}  // namespace stint
