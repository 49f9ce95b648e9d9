#pragma once
// Softmax as written in the books, in double precision.

#include <cmath>

#include "kernels/softmax_f32/softmax_f32_table.h"

namespace stint {

inline void ReferenceSoftmaxF32(const SoftmaxF32Args& args) {
  for (int64_t i = 0; i < args.outer * args.inner; ++i) {
    const int64_t first = i / args.inner * args.n * args.inner + i % args.inner;
    const float* x = args.x + first;
    float* y = args.y + first;
    double max = x[0];
    for (int64_t j = 0; j < args.n; ++j)
      max = std::fmax(max, x[j * args.inner]);
    double sum = 0;
    for (int64_t j = 0; j < args.n; ++j)
      sum += std::exp(x[j * args.inner] - max);
    for (int64_t j = 0; j < args.n; ++j) {
      const double t = x[j * args.inner] - max;
      y[j * args.inner] =
          static_cast<float>(args.log ? t - std::log(sum) : std::exp(t) / sum);
    }
  }
}

}  // namespace stint
