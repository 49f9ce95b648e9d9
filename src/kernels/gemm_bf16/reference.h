#pragma once
// The loops every bf16 GEMM kernel is compared with. The panel is 8 wide, in
// the order of pack_pairs.h.

#include "core/base/float_bits.h"
#include "kernels/gemm_bf16/gemm_bf16_table.h"
#include "kernels/simd/curves.h"

namespace stint {

inline constexpr int kReferenceBf16Columns = 8;

inline void ReferenceGemmBf16(const GemmBf16Block& block) {
  constexpr int64_t kTile = kReferenceBf16Columns;
  const GemmF32Block& f32 = block.f32;
  for (int64_t i = 0; i < f32.m; ++i) {
    for (int64_t j = 0; j < f32.n; ++j) {
      float& c = f32.c[i * f32.ldc + j];
      double sum = f32.accumulate ? c : 0;
      for (int64_t p = 0; p < f32.k; ++p) {
        const uint16_t bits = block.b[(p / 2 * kTile + j) * 2 + p % 2];
        sum +=
            static_cast<double>(f32.a[i * f32.lda + p]) * BFloat16ToFloat(bits);
      }
      if (!f32.finish) {
        c = static_cast<float>(sum);
        continue;
      }
      sum *= f32.alpha;
      if (f32.bias_m != nullptr) sum += f32.bias_m[i];
      if (f32.bias_n != nullptr) sum += f32.bias_n[j];
      if (f32.residual != nullptr) sum += f32.residual[i * f32.ldr + j];
      c = static_cast<float>(ReferenceActivation(sum, f32.act));
    }
  }
}

}  // namespace stint
