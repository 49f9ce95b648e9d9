#pragma once
// The loops every int8 GEMM kernel is compared with. The panel is 8 wide.

#include <algorithm>
#include <cmath>

#include "kernels/gemm_s8/gemm_s8_table.h"
#include "kernels/gemm_s8/row_range.h"
#include "kernels/simd/curves.h"

namespace stint {

inline constexpr int kReferenceS8Columns = 8;

inline uint8_t ReferenceRequantize(float x, const Requantization& out) {
  const float lo = out.is_signed ? -128.0f : 0.0f;
  const float zero = static_cast<float>(out.zero);
  const float q = std::nearbyint(x * (1 / out.scale)) + zero;
  return static_cast<uint8_t>(static_cast<int>(std::clamp(q, lo, lo + 255.0f)));
}

inline void ReferenceGemmS8(const GemmS8Block& block) {
  for (int64_t i = 0; i < block.m; ++i) {
    for (int64_t j = 0; j < block.n; ++j) {
      const int zero = block.zero_a[i * block.row_step];
      int32_t sum = 0;
      for (int64_t p = 0; p < 4 * block.groups; ++p) {
        const int64_t at = (p / 4 * kReferenceS8Columns + j) * 4 + p % 4;
        sum += (block.a[i * block.lda + p] - zero) * block.b[at];
      }
      float x = static_cast<float>(sum) *
                (block.scale_a[i * block.row_step] * block.scale_b[j]);
      if (block.bias_n != nullptr) x += block.bias_n[j];
      if (block.residual != nullptr) x += block.residual[i * block.ldr + j];
      x = static_cast<float>(ReferenceActivation(x, block.act));
      if (block.c != nullptr) {
        block.c[i * block.ldc + j] = x;
      } else {
        block.c8[i * block.ldc + j] = ReferenceRequantize(x, block.out);
      }
    }
  }
}

inline void ReferenceQuantizeRows(const QuantizeRowsArgs& args) {
  for (int64_t i = 0; i < args.m; ++i) {
    const float* x = args.x + i * args.ldx;
    float lo = 0;
    float hi = 0;
    for (int64_t j = 0; j < args.k; ++j) {
      lo = std::min(lo, x[j]);
      hi = std::max(hi, x[j]);
    }
    const RowRange range = MakeRowRange(lo, hi, args.mode);
    args.scale[i] = range.scale;
    args.zero[i] = static_cast<uint8_t>(range.zero);
    uint8_t* q = args.q + i * args.ldq;
    const int64_t piece = args.piece_stride != 0 ? args.piece_stride : 64;
    const int64_t end =
        args.piece_stride != 0 ? (args.k + 63) / 64 * 64 : args.ldq;
    for (int64_t j = 0; j < end; ++j) {
      const float steps = j < args.k ? std::nearbyint(x[j] * range.inverse) : 0;
      const float zero = j < args.k ? static_cast<float>(range.zero) : 0;
      q[j / 64 * piece + j % 64] =
          static_cast<uint8_t>(std::clamp(steps + zero, 0.0f, 255.0f));
    }
  }
}

}  // namespace stint
