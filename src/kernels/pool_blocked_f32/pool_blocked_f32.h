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

// The same of an image in bf16 with blocks of 32.
struct PoolNarrowRow {
  const PoolF32Args* args;
  int64_t row;
  const uint16_t* x;  // [h.in, w.in, 32]
  uint16_t* y;        // [w.out, 32]
};
inline constexpr int64_t kPoolNarrowBlock = 32;

struct PoolBlockedF32Kernel {
  const char* name;
  Isa isa;
  int block;
  void (*max)(const PoolBlockedRow& row);
  void (*average)(const PoolBlockedRow& row);
  // y[block] = mean of x[n, block].
  void (*mean)(const float* x, int64_t n, float* y);
  void (*narrow_max)(const PoolNarrowRow& row);
};

// Best first, the reference last.
std::span<const PoolBlockedF32Kernel> PoolBlockedF32Table();
const PoolBlockedF32Kernel& PickPoolBlockedF32(Isa cap);

// Needs no scratch.
void PoolBlockedF32(const PoolBlockedF32Kernel& kernel, const PoolF32Args& args,
                    ThreadPool* pool);

// Maxima of images in bf16 with blocks of 32; args.x and args.y are not used.
void MaxPoolNarrow(const PoolBlockedF32Kernel& kernel, const PoolF32Args& args,
                   const uint16_t* x, uint16_t* y, ThreadPool* pool);

// y[planes, block] = mean of x[planes, n, block].
void GlobalAverageBlockedF32(const PoolBlockedF32Kernel& kernel,
                             const GlobalAverageF32Args& args,
                             ThreadPool* pool);

}  // namespace stint
