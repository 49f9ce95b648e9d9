#pragma once
// The loops every bf16 GEMM kernel is compared with: the panel is widened, the
// rest is the reference of gemm_f32.

#include "core/base/float_bits.h"
#include "kernels/gemm_bf16/gemm_bf16_table.h"
#include "kernels/gemm_f32/reference.h"

namespace stint {

inline constexpr int kReferenceBf16Columns = 8;

inline void ReferenceGemmBf16(const GemmBf16Block& block) {
  constexpr int64_t kTile = kReferenceBf16Columns;
  for (int64_t p = 0; p < block.f32.k; ++p) {
    for (int64_t j = 0; j < kTile; ++j) {
      block.scratch[p * kTile + j] =
          BFloat16ToFloat(block.b[(p / 2 * kTile + j) * 2 + p % 2]);
    }
  }
  GemmF32Block f32 = block.f32;
  f32.b = block.scratch;
  f32.ldb = kTile;
  ReferenceGemmF32(f32);
}

}  // namespace stint
