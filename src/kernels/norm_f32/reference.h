#pragma once
// The normalization formulas in double precision.

#include <cmath>

#include "kernels/norm_f32/norm_f32_table.h"

namespace stint {

inline void ReferenceRow(const RowNormF32Args& args, int64_t row, double mean) {
  const float* x = args.x + row * args.n;
  float* y = args.y + row * args.n;
  double squares = 0;
  for (int64_t i = 0; i < args.n; ++i) squares += (x[i] - mean) * (x[i] - mean);
  const double inv = 1 / std::sqrt(squares / args.n + args.epsilon);
  for (int64_t i = 0; i < args.n; ++i) {
    double v = (x[i] - mean) * inv;
    if (args.scale) v *= args.scale[i];
    if (args.bias) v += args.bias[i];
    y[i] = static_cast<float>(v);
  }
  if (args.inv_std) args.inv_std[row] = static_cast<float>(inv);
}

inline void ReferenceLayerNormF32(const RowNormF32Args& args) {
  for (int64_t row = 0; row < args.rows; ++row) {
    double mean = 0;
    for (int64_t i = 0; i < args.n; ++i) mean += args.x[row * args.n + i];
    mean /= args.n;
    ReferenceRow(args, row, mean);
    if (args.mean) args.mean[row] = static_cast<float>(mean);
  }
}

inline void ReferenceRmsNormF32(const RowNormF32Args& args) {
  for (int64_t row = 0; row < args.rows; ++row) ReferenceRow(args, row, 0);
}

inline void ReferenceChannelNormF32(const ChannelNormF32Args& args) {
  const int64_t plane = args.inner == 1 ? args.channels : args.inner;
  for (int64_t i = args.begin * plane; i < args.end * plane; ++i) {
    const int64_t c = i / args.inner % args.channels;
    double v = static_cast<double>(args.x[i]) * args.scale[c] + args.shift[c];
    if (v < args.lo) v = args.lo;
    if (v > args.hi) v = args.hi;
    args.y[i] = static_cast<float>(v);
  }
}

}  // namespace stint
