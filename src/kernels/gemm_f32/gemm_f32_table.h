#pragma once
// The fp32 GEMM micro-kernels, best first, and what each is handed: a block of
// rows of A times one panel of B.

#include <cstdint>
#include <span>

#include "core/platform/cpu_info.h"
#include "kernels/simd/activation.h"

namespace stint {

struct GemmF32Block {
  const float* a;  // [m,k]
  int64_t lda;
  // [k,n] with rows padded to a whole vector; any row stride, so an image can
  // be multiplied where it lies.
  const float* b;
  int64_t ldb;
  // The panel to be multiplied next, fetched into L2 meanwhile; or null.
  const float* b_next;
  float* c;  // [m,n]
  int64_t ldc;
  int64_t m;
  int64_t n;  // <= tile_n
  int64_t k;
  bool accumulate;  // adds to C: not the first block of k
  bool finish;      // last block of k: what follows is applied
  float alpha;
  const float* bias_m;              // [m] or null
  const float* bias_n;              // [n] or null
  const float* residual = nullptr;  // [m,n] or null, added before `act`
  int64_t ldr = 0;
  Activation act = {};
};

struct GemmF32Kernel {
  const char* name;
  Isa isa;
  int tile_m;
  int tile_n;
  void (*run)(const GemmF32Block& block);
};

std::span<const GemmF32Kernel> GemmF32Table();

// The best row that runs on a machine of level `cap`.
const GemmF32Kernel& PickGemmF32(Isa cap);

}  // namespace stint
