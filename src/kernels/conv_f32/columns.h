#pragma once
// Convolution as a product: weights [oc, ic*kh*kw] times columns gathered from
// the image, panel by panel in L2. A 1x1 convolution of stride 1 multiplies the
// image where it lies.

#include <cstdint>

#include "kernels/conv_f32/conv_f32.h"
#include "kernels/simd/generic.h"

namespace stint {

struct ConvF32Kernel;

// Copies `rows` rows of `count` floats; within a source row they lie `step`
// apart.
struct CopyColumns {
  const float* from;
  int64_t from_stride;
  float* to;
  int64_t to_stride;
  int64_t rows;
  int64_t count;
  int64_t step;
};
using CopyColumnsFn = void (*)(const CopyColumns& copy);

int64_t ColumnsConvScratchBytes(const ConvF32Kernel& kernel,
                                const ConvF32Shape& shape, int threads);
void ColumnsConv(const ConvF32Kernel& kernel, const ConvF32Args& args,
                 ThreadPool* pool);

template <class V>
STINT_INLINE void CopyColumnsWith(const CopyColumns& copy) {
  const float* from = copy.from;
  float* to = copy.to;
  const int64_t whole = copy.count / V::kWidth * V::kWidth;
  const int64_t rest = copy.count - whole;
  for (int64_t r = 0; r < copy.rows; ++r) {
    if (copy.step == 1) {
      for (int64_t i = 0; i < whole; i += V::kWidth) {
        V::Store(to + i, V::Load(from + i));
      }
      if (rest) V::StoreN(to + whole, V::LoadN(from + whole, rest), rest);
    } else if (copy.step == 2) {
      for (int64_t i = 0; i < whole; i += V::kWidth) {
        V::Store(to + i, V::LoadEvenN(from + 2 * i, V::kWidth));
      }
      if (rest) {
        V::StoreN(to + whole, V::LoadEvenN(from + 2 * whole, rest), rest);
      }
    } else {
      for (int64_t i = 0; i < copy.count; ++i) to[i] = from[i * copy.step];
    }
    from += copy.from_stride;
    to += copy.to_stride;
  }
}

}  // namespace stint
