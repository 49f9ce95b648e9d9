#pragma once
// Attention by its definition, in double; what every kernel is compared with.

#include <cmath>
#include <limits>

#include "kernels/attention_f32/attention_f32_table.h"

namespace stint {

inline void ReferencePackAttentionF32(const AttentionF32Head&) {}

// Weight e^(score - max) of each key; returns their sum.
inline double ReferenceWeights(const AttentionF32Rows& rows, int64_t i,
                               float* weights) {
  const AttentionF32Head& head = rows.head;
  double max = -std::numeric_limits<double>::max();
  for (int64_t j = 0; j < head.length; ++j) {
    double score = 0;
    for (int64_t d = 0; d < head.size; ++d) {
      score += static_cast<double>(rows.q[i * rows.ldq + d]) *
               head.k[j * head.ldk + d];
    }
    score *= rows.scale;
    if (rows.mask != nullptr) score += rows.mask[i * rows.ldm + j];
    weights[j] = static_cast<float>(score);
    max = std::fmax(max, weights[j]);
  }
  double sum = 0;
  for (int64_t j = 0; j < head.length; ++j) {
    weights[j] = static_cast<float>(std::exp(weights[j] - max));
    sum += weights[j];
  }
  return sum;
}

inline void ReferenceAttentionF32(const AttentionF32Rows& rows) {
  const AttentionF32Head& head = rows.head;
  for (int64_t i = 0; i < rows.m; ++i) {
    float* weights = rows.scores + i * rows.lds;
    const double sum = ReferenceWeights(rows, i, weights);
    for (int64_t d = 0; d < head.size; ++d) {
      double x = 0;
      for (int64_t j = 0; j < head.length; ++j) {
        x += static_cast<double>(weights[j]) * head.v[j * head.ldv + d];
      }
      rows.out[i * rows.ldo + d] = sum > 0 ? static_cast<float>(x / sum) : 0;
    }
  }
}

}  // namespace stint
