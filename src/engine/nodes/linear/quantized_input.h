#pragma once
// Where a linear layer keeps its input in bytes while it runs.

#include "core/base/checked_math.h"
#include "kernels/gemm_f32/gemm_f32.h"
#include "kernels/gemm_s8/gemm_s8.h"

namespace stint {

// In scratch: bytes, then a scale and a zero point per row, then what the
// product needs.
struct QuantizedInput {
  QuantizedInput(int64_t m, int64_t k)
      : row_bytes(RoundUp(k, 4)),
        scale_at(RoundUp(m * row_bytes, 64)),
        zero_at(scale_at + RoundUp(m * 4, 64)),
        scratch_at(zero_at + RoundUp(m, 64)) {}
  int64_t row_bytes;
  int64_t scale_at;
  int64_t zero_at;
  int64_t scratch_at;
};

// What brings in.a into `scratch`.
inline QuantizeRowsArgs QuantizedRows(const GemmF32Args& in, void* scratch) {
  const QuantizedInput place(in.m, in.k);
  auto* codes = static_cast<uint8_t*>(scratch);
  return {.m = in.m,
          .k = in.k,
          .x = in.a,
          .ldx = in.lda,
          .q = codes,
          .ldq = place.row_bytes,
          .scale = reinterpret_cast<float*>(codes + place.scale_at),
          .zero = codes + place.zero_at};
}

// The product of those rows. What is left to set is B and its scales.
inline GemmS8Args QuantizedProduct(const GemmF32Args& in,
                                   const QuantizeRowsArgs& rows,
                                   void* scratch) {
  GemmS8Args args;
  args.m = in.m;
  args.n = in.n;
  args.k = in.k;
  args.a = rows.q;
  args.lda = rows.ldq;
  args.scale_a = rows.scale;
  args.zero_a = rows.zero;
  args.bias_n = in.bias_n;
  args.residual = in.residual;
  args.ldr = in.ldr;
  args.act = in.act;
  args.c = in.c;
  args.ldc = in.ldc;
  args.done = in.done;
  args.scratch =
      static_cast<uint8_t*>(scratch) + QuantizedInput(in.m, in.k).scratch_at;
  return args;
}

}  // namespace stint
