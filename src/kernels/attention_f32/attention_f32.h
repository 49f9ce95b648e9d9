#pragma once
// out = softmax(scale * Q K^T + mask) V for each batch and head, in fp32. The
// scores of a block of rows stay in cache between the two products.
//
// A key whose mask is -infinity has no weight; a row without any weight gives
// zeros.

#include <cstdint>

#include "core/platform/thread_pool.h"
#include "kernels/attention_f32/attention_f32_table.h"

namespace stint {

// [batch, length, heads, head_size] at any strides, in floats; the floats of a
// head are contiguous.
template <class T>
struct AttentionF32View {
  T* data = nullptr;
  int64_t batch_stride = 0;
  int64_t row_stride = 0;
  int64_t head_stride = 0;
};

struct AttentionF32Args {
  int64_t batch = 1;
  int64_t heads = 1;
  int64_t length_q = 0;
  int64_t length_k = 0;
  int64_t head_size = 0;
  float scale = 1;
  AttentionF32View<const float> q;
  AttentionF32View<const float> k;
  AttentionF32View<const float> v;
  AttentionF32View<float> out;  // overlaps no input
  // [batch, heads, length_q, length_k]; data may be null, any stride 0.
  AttentionF32View<const float> mask;
  float* scratch = nullptr;  // AttentionF32ScratchBytes, 64-byte aligned
  // Where the kernel can pack a part of a head, threads take rows, as products
  // that SplitsTilesByRows do, instead of heads.
  bool by_rows = false;
};

int64_t AttentionF32ScratchBytes(const AttentionF32Kernel& kernel,
                                 const AttentionF32Args& args, int threads);

// `pool` may be null. Results do not depend on the number of threads.
void AttentionF32(const AttentionF32Kernel& kernel,
                  const AttentionF32Args& args, ThreadPool* pool);

}  // namespace stint
