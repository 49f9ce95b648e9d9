#pragma once
// C[m,n] = act(scale_a[m] * scale_b[n] * sum_k (A[m,k] - zero_a[m]) * B[k,n]
//              + bias[n] + R[m,n]), A in u8, B in s8, sums exact in int32.
// C is fp32, or requantized to bytes. B is packed once: panels of `tile_n`
// columns, four steps of k side by side, and the sum of each column, with which
// the zero points are taken out. Kernels with `a_tiles` copy A into scratch.

#include <cstdint>

#include "core/platform/thread_pool.h"
#include "kernels/gemm_f32/gemm_f32.h"
#include "kernels/gemm_s8/gemm_s8_table.h"

namespace stint {

// No sum of so many products of a byte and a weight leaves int32.
inline constexpr int64_t kGemmS8MaxK = 65536;

struct GemmS8Args {
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;               // <= kGemmS8MaxK
  const uint8_t* a = nullptr;  // [m,k]
  int64_t lda = 0;             // >= k rounded up to 4; the rest has any value
  const float* scale_a = nullptr;   // [m], or [1] when row_step is 0
  const uint8_t* zero_a = nullptr;  // likewise
  int64_t row_step = 1;
  const int8_t* b = nullptr;        // packed by GemmS8PackB
  const float* scale_b = nullptr;   // [n]
  const float* bias_n = nullptr;    // [n] or null
  const float* residual = nullptr;  // [m,n] or null, not C itself
  int64_t ldr = 0;
  Activation act = {};
  float* c = nullptr;     // [m,n], or null: bytes are stored in c8
  uint8_t* c8 = nullptr;  // [m,n]; bytes of int8 when out.is_signed
  int64_t ldc = 0;        // elements
  Requantization out = {};
  uint8_t* scratch = nullptr;  // GemmS8ScratchBytes, 64-byte aligned
  // Not null: A comes as floats, from which this makes scale_a and zero_a of
  // every row and, unless the kernel has `a_tiles`, the bytes of `a`.
  const QuantizeRowsArgs* quantize = nullptr;
  GemmRowsDone done = {};
};

// 0 where A is read as it is.
int64_t GemmS8ScratchBytes(const GemmS8Kernel& kernel, int64_t m, int64_t k);

// Row-major B [k,n], or its transpose [n,k], with `ldb` elements between rows.
struct GemmS8Matrix {
  const int8_t* data = nullptr;
  int64_t ldb = 0;
  bool transposed = false;
};

int64_t GemmS8PackedBytes(const GemmS8Kernel& kernel, int64_t n, int64_t k);

// `packed` is 64-byte aligned. `pool` may be null: packs on this thread.
void GemmS8PackB(const GemmS8Kernel& kernel, const GemmS8Matrix& b, int64_t n,
                 int64_t k, int8_t* packed, ThreadPool* pool);

void GemmS8(const GemmS8Kernel& kernel, const GemmS8Args& args,
            ThreadPool* pool);

// Activations to bytes, row by row, spread over threads.
void QuantizeRows(const GemmS8Kernel& kernel, const QuantizeRowsArgs& args,
                  ThreadPool* pool);

}  // namespace stint
