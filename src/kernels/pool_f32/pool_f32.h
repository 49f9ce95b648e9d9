#pragma once
// 2-D pooling in fp32 over planes [in_h, in_w]: the maximum or the average of
// each window. Windows past the padded image (ceil mode) follow from the output
// size. 1-D pooling is one with a height of 1.

#include <cstdint>

#include "kernels/pool_f32/pool_f32_table.h"

namespace stint {

class ThreadPool;

enum class PoolKind { kMax, kAverage };

struct PoolF32Args {
  PoolKind kind = PoolKind::kMax;
  // Average: padding counts as zeros rather than being left out.
  bool count_include_pad = false;
  int64_t planes = 0;  // batch * channels
  WindowAxis h = {};
  WindowAxis w = {};
  int64_t pad_bottom = 0;  // only counted, with count_include_pad
  int64_t pad_right = 0;
  const float* x = nullptr;  // [planes, h.in, w.in]
  float* y = nullptr;        // [planes, h.out, w.out]
  float* scratch = nullptr;  // PoolF32ScratchBytes, 64-byte aligned
};

int64_t PoolF32ScratchBytes(const PoolF32Args& args, int threads);
void PoolF32(const PoolF32Kernel& kernel, const PoolF32Args& args,
             ThreadPool* pool);

// y[p] = mean of x[p, 0..n).
struct GlobalAverageF32Args {
  const float* x = nullptr;  // [planes, n]
  float* y = nullptr;        // [planes]
  int64_t planes = 0;
  int64_t n = 0;
};
void GlobalAverageF32(const PoolF32Kernel& kernel,
                      const GlobalAverageF32Args& args, ThreadPool* pool);

}  // namespace stint
