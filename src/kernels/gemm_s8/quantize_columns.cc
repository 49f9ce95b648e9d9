#include "kernels/gemm_s8/quantize_columns.h"

#include <algorithm>
#include <cmath>

namespace stint {
namespace {

int8_t Quantize(float w, float scale) {
  if (!(scale > 0)) return 0;
  // Division may exceed 127 by rounding when the scale is subnormal.
  return static_cast<int8_t>(
      std::clamp(std::nearbyint(w / scale), -127.0f, 127.0f));
}

// Channels are the rows of w.
void QuantizeTransposed(const QuantizeColumnsArgs& args) {
  for (int64_t j = 0; j < args.n; ++j) {
    const float* row = args.w + j * args.ldw;
    float largest = 0;
    for (int64_t p = 0; p < args.k; ++p) {
      largest = std::max(largest, std::fabs(row[p]));
    }
    args.scale[j] = largest / 127;
    for (int64_t p = 0; p < args.k; ++p) {
      args.q[j * args.k + p] = Quantize(row[p], args.scale[j]);
    }
  }
}

}  // namespace

void QuantizeColumns(const QuantizeColumnsArgs& args) {
  if (args.transposed) return QuantizeTransposed(args);
  std::fill_n(args.scale, args.n, 0.0f);
  for (int64_t p = 0; p < args.k; ++p) {
    const float* row = args.w + p * args.ldw;
    for (int64_t j = 0; j < args.n; ++j) {
      args.scale[j] = std::max(args.scale[j], std::fabs(row[j]));
    }
  }
  for (int64_t j = 0; j < args.n; ++j) args.scale[j] /= 127;
  for (int64_t p = 0; p < args.k; ++p) {
    const float* row = args.w + p * args.ldw;
    for (int64_t j = 0; j < args.n; ++j) {
      args.q[p * args.n + j] = Quantize(row[j], args.scale[j]);
    }
  }
}

}  // namespace stint
