#pragma once
// Weights on their way into register tiles: where they lie in fp32, or widened
// into a panel that stays in L1 while the pixels of a pass go by, so that a
// network in half the bytes runs on the same tiles.

#include <cstdint>

#include "kernels/conv_blocked_f32/conv_blocked_f32.h"
#include "kernels/conv_blocked_f32/fetch_next.h"
#include "kernels/conv_blocked_f32/tiles.h"

namespace stint {

// Weights of `blocks` output blocks, `floats` of each from element `at` on.
struct ConvPassWeights {
  int64_t at;
  int64_t stride;  // between output blocks
  int64_t blocks;
  int64_t floats;
};

inline void SetPassWeights(const ConvBlockedF32Args& args,
                           const ConvPassWeights& pass, float* panel,
                           ConvTiles* t) {
  const NarrowWeights& narrow = args.narrow;
  if (narrow.w == nullptr) {
    t->w = args.w + pass.at;
    t->w_block = pass.stride;
    return;
  }
  for (int64_t b = 0; b < pass.blocks; ++b) {
    narrow.widen(narrow.w + pass.at + b * pass.stride, pass.floats,
                 narrow.scale, panel + b * pass.floats);
  }
  t->w = panel;
  t->w_block = pass.floats;
}

// The weights of a later pass, to be fetched during this one.
inline ConvNextWeights NextPassWeights(const ConvBlockedF32Args& args,
                                       const ConvPassWeights& pass) {
  if (args.narrow.w == nullptr) {
    return {args.w + pass.at, pass.floats, pass.stride};
  }
  return {reinterpret_cast<const float*>(args.narrow.w + pass.at),
          pass.floats / 2, pass.stride / 2};
}

}  // namespace stint
