#pragma once
// 2-D pooling in fp32 on channel-blocked images: each plane of PoolF32Args is
// one block of channels, x [planes, h.in, w.in, block]. Channels past the last
// are zeros and stay zeros where every window touches the image.

#include <cstdint>
#include <span>

#include "core/platform/cpu_info.h"
#include "kernels/pool_f32/pool_f32.h"

namespace stint {

class ThreadPool;

// One row of outputs of one plane; `args->x` and `args->y` are not used.
struct PoolBlockedRow {
  const PoolF32Args* args;
  int64_t row;
  const float* x;  // [h.in, w.in, block]
  float* y;        // [w.out, block]
};

struct PoolBlockedF32Kernel {
  const char* name;
  Isa isa;
  int block;
  void (*max)(const PoolBlockedRow& row);
  void (*average)(const PoolBlockedRow& row);
  // y[block] = mean of x[n, block].
  void (*mean)(const float* x, int64_t n, float* y);
};

// Best first, the reference last.
std::span<const PoolBlockedF32Kernel> PoolBlockedF32Table();
const PoolBlockedF32Kernel& PickPoolBlockedF32(Isa cap);

// Needs no scratch.
void PoolBlockedF32(const PoolBlockedF32Kernel& kernel, const PoolF32Args& args,
                    ThreadPool* pool);

// y[planes, block] = mean of x[planes, n, block].
void GlobalAverageBlockedF32(const PoolBlockedF32Kernel& kernel,
                             const GlobalAverageF32Args& args,
                             ThreadPool* pool);

}  // namespace stint
