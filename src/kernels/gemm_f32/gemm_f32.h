#pragma once
// C[m,n] = act(alpha * A[m,k] * B[k,n] + bias + R[m,n]) in fp32. A and C are
// row-major; B is packed into panels of `tile_n` columns, once for constant
// weights. Each element is summed in the order of k whatever the thread count.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/platform/thread_pool.h"
#include "kernels/gemm_f32/gemm_f32_table.h"

namespace stint {

// What is done to rows [begin, end) of C when all of their columns are there:
// by the thread that wrote them, while they are in its cache, wherever threads
// take rows.
struct GemmRowsDone {
  void (*run)(const void* with, int64_t begin, int64_t end) = nullptr;
  const void* with = nullptr;
};

struct GemmF32Args {
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  const float* a = nullptr;  // [m,k]
  int64_t lda = 0;
  const float* b = nullptr;  // packed by GemmF32PackB
  float* c = nullptr;        // [m,n], overlaps neither A nor B
  int64_t ldc = 0;
  float alpha = 1;
  const float* bias_m = nullptr;    // [m], added to each column
  const float* bias_n = nullptr;    // [n], added to each row
  const float* residual = nullptr;  // [m,n] or null, not C itself
  int64_t ldr = 0;
  Activation act = {};
  GemmRowsDone done = {};
};

// Row-major B [k,n], or its transpose [n,k], with `ldb` floats between rows.
struct GemmF32Matrix {
  const float* data = nullptr;
  int64_t ldb = 0;
  bool transposed = false;
};

int64_t GemmF32PackedBytes(const GemmF32Kernel& kernel, int64_t n, int64_t k);

// Panel p of `packed` holds columns [p * tile_n, (p+1) * tile_n) as
// [k, tile_n], padded with zeros. `pool` may be null: packs on this thread.
void GemmF32PackB(const GemmF32Kernel& kernel, const GemmF32Matrix& b,
                  int64_t n, int64_t k, float* packed, ThreadPool* pool);

// The name of the packed layout, "gemm_f32/panels48", and its panel width.
std::string GemmF32Layout(const GemmF32Kernel& kernel);
std::optional<int64_t> ParseGemmF32Layout(std::string_view layout);

// B [k,n], row-major, from panels `tile_n` wide.
void GemmF32UnpackB(int64_t tile_n, int64_t n, int64_t k, const float* packed,
                    float* b);

void GemmF32(const GemmF32Kernel& kernel, const GemmF32Args& args,
             ThreadPool* pool);

// For products that do not do it themselves: all m rows of n columns. `pool`
// may be null.
void FinishGemmRows(const GemmRowsDone& done, int64_t m, int64_t n,
                    ThreadPool* pool);

// `batch` products whose B is an activation, packed per call. Strides are in
// floats; 0 shares the operand.
struct GemmF32BatchArgs {
  GemmF32Args one;  // the first product; `one.b` is ignored
  GemmF32Matrix b;
  int64_t batch = 1;
  int64_t a_stride = 0;
  int64_t b_stride = 0;
  int64_t c_stride = 0;
  float* scratch = nullptr;  // GemmF32BatchScratchBytes, 64-byte aligned
};

int64_t GemmF32BatchScratchBytes(const GemmF32Kernel& kernel, int64_t n,
                                 int64_t k, int threads);

// Spreads the batch over threads, or each product when the batch is small.
void GemmF32Batch(const GemmF32Kernel& kernel, const GemmF32BatchArgs& args,
                  ThreadPool* pool);

}  // namespace stint
