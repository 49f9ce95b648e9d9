#pragma once
// The three loops every GEMM kernel is compared with.

#include "kernels/gemm_f32/gemm_f32_table.h"
#include "kernels/simd/curves.h"

namespace stint {

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
      if (block.residual != nullptr) sum += block.residual[i * block.ldr + j];
      c = static_cast<float>(ReferenceActivation(sum, block.act));
    }
  }
}

}  // namespace stint
