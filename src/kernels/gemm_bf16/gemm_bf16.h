#pragma once
// C[m,n] = act(alpha * A[m,k] * B[k,n] + bias + R[m,n]) with B stored in bf16
// and everything else in fp32: the arithmetic of gemm_f32 on weights of half
// the bytes, rounded to nearest even when packed. Kernels with `pack_a` round A
// too, to multiply bf16 by bf16.

#include <cstdint>

#include "core/platform/thread_pool.h"
#include "kernels/gemm_bf16/gemm_bf16_table.h"
#include "kernels/gemm_f32/gemm_f32.h"

namespace stint {

// Row-major B [k,n], or its transpose [n,k], in one of two formats.
struct GemmBf16Matrix {
  const float* f32 = nullptr;
  const uint16_t* bf16 = nullptr;  // bits; used when f32 is null
  int64_t ldb = 0;
  bool transposed = false;
};

int64_t GemmBf16PackedBytes(const GemmBf16Kernel& kernel, int64_t n, int64_t k);

// `pool` may be null: packs on this thread.
void GemmBf16PackB(const GemmBf16Kernel& kernel, const GemmBf16Matrix& b,
                   int64_t n, int64_t k, uint16_t* packed, ThreadPool* pool);

struct GemmBf16Args {
  GemmF32Args f32;              // f32.b is ignored
  const uint16_t* b = nullptr;  // packed by GemmBf16PackB
  uint16_t* scratch = nullptr;  // GemmBf16ScratchBytes, 64-byte aligned
};

// 0 where A is read as it is.
int64_t GemmBf16ScratchBytes(const GemmBf16Kernel& kernel, int64_t m,
                             int64_t k);

void GemmBf16(const GemmBf16Kernel& kernel, const GemmBf16Args& args,
              ThreadPool* pool);

}  // namespace stint
