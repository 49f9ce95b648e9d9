#pragma once
// Weights of the next pass are fetched into L2 while this one computes.

#include <algorithm>
#include <cstdint>

#include "core/base/checked_math.h"
#include "kernels/conv_blocked_f32/tiles.h"

namespace stint {

struct ConvNextWeights {
  const float* w;  // null: nothing to fetch
  int64_t floats;  // per output block
  int64_t stride;  // between output blocks
};

// Row `r` of `rows` fetches its share: rows take the output blocks in turn, and
// the rows of one block equal parts of it.
inline void FetchNext(const ConvNextWeights& next, int64_t r, int64_t rows,
                      ConvTiles* t) {
  const int64_t parts = std::max<int64_t>(1, rows / t->blocks);
  const int64_t part = r / t->blocks;
  t->far_lines = 0;
  if (next.w == nullptr || part >= parts) return;
  const int64_t lines = CeilDiv(next.floats, kConvFarFloats);
  const int64_t first = lines * part / parts;
  t->far = next.w + r % t->blocks * next.stride + first * kConvFarFloats;
  t->far_lines = lines * (part + 1) / parts - first;
}

}  // namespace stint
