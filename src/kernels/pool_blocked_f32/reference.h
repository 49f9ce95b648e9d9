#pragma once
// Pooling of blocked images by its definition, channel by channel, for the
// table's last row.

#include <vector>

#include "core/base/float_bits.h"
#include "kernels/pool_blocked_f32/pool_blocked_f32.h"
#include "kernels/pool_f32/reference.h"

namespace stint {

inline constexpr int kReferencePoolBlock = 8;

inline void ReferenceRowBlocked(const PoolBlockedRow& row, PoolKind kind) {
  PoolF32Args args = *row.args;
  args.kind = kind;
  std::vector<float> plane(static_cast<size_t>(args.h.in * args.w.in));
  for (int64_t lane = 0; lane < kReferencePoolBlock; ++lane) {
    for (size_t p = 0; p < plane.size(); ++p) {
      plane[p] = row.x[static_cast<int64_t>(p) * kReferencePoolBlock + lane];
    }
    for (int64_t j = 0; j < args.w.out; ++j) {
      row.y[j * kReferencePoolBlock + lane] =
          ReferenceWindow(args, plane.data(), row.row, j);
    }
  }
}
inline void ReferenceMaxBlocked(const PoolBlockedRow& row) {
  ReferenceRowBlocked(row, PoolKind::kMax);
}
inline void ReferenceAverageBlocked(const PoolBlockedRow& row) {
  ReferenceRowBlocked(row, PoolKind::kAverage);
}

inline void ReferenceMaxNarrow(const PoolNarrowRow& row) {
  PoolF32Args args = *row.args;
  args.kind = PoolKind::kMax;
  std::vector<float> plane(static_cast<size_t>(args.h.in * args.w.in));
  for (int64_t lane = 0; lane < kPoolNarrowBlock; ++lane) {
    for (size_t p = 0; p < plane.size(); ++p) {
      plane[p] = BFloat16ToFloat(
          row.x[static_cast<int64_t>(p) * kPoolNarrowBlock + lane]);
    }
    for (int64_t j = 0; j < args.w.out; ++j) {
      row.y[j * kPoolNarrowBlock + lane] =
          FloatToBFloat16(ReferenceWindow(args, plane.data(), row.row, j));
    }
  }
}

inline void ReferenceMeanBlocked(const float* x, int64_t n, float* y) {
  for (int64_t lane = 0; lane < kReferencePoolBlock; ++lane) {
    double sum = 0;
    for (int64_t p = 0; p < n; ++p) sum += x[p * kReferencePoolBlock + lane];
    y[lane] = static_cast<float>(sum / static_cast<double>(n));
  }
}

}  // namespace stint
