#pragma once
// The three loops every GEMM kernel is compared with.

#include <cmath>

#include "kernels/gemm_f32/gemm_f32_table.h"

namespace stint {

inline float ReferenceActivation(double x, const Activation& act) {
  if (act.gelu) x = 0.5 * x * (1 + std::erf(x / std::sqrt(2.0)));
  if (x < act.lo) x = act.lo;
  if (x > act.hi) x = act.hi;
  return static_cast<float>(x);
}

inline void ReferenceGemmF32(const GemmF32Block& block) {
  for (int64_t i = 0; i < block.m; ++i) {
    for (int64_t j = 0; j < block.n; ++j) {
      float& c = block.c[i * block.ldc + j];
      double sum = block.accumulate ? c : 0;
      for (int64_t p = 0; p < block.k; ++p) {
        sum += static_cast<double>(block.a[i * block.lda + p]) *
               block.b[p * block.ldb + j];
      }
      if (!block.finish) {
        c = static_cast<float>(sum);
        continue;
      }
      sum *= block.alpha;
      if (block.bias_m != nullptr) sum += block.bias_m[i];
      if (block.bias_n != nullptr) sum += block.bias_n[j];
      c = ReferenceActivation(sum, block.act);
    }
  }
}

}  // namespace stint
