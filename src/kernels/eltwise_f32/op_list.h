#pragma once
// From an operation known at run time to a function made for it: Loops<op>::Run
// for some template Loops.

#include "kernels/eltwise_f32/eltwise_f32_table.h"

namespace stint {

template <template <UnaryOp> class Loops, int kOp = 0>
constexpr UnaryF32Fn UnaryFor(UnaryOp op) {
  if constexpr (kOp < kUnaryOps) {
    if (static_cast<int>(op) == kOp) {
      return Loops<static_cast<UnaryOp>(kOp)>::Run;
    }
    return UnaryFor<Loops, kOp + 1>(op);
  }
  return nullptr;
}

template <template <BinaryOp> class Loops, int kOp = 0>
constexpr BinaryF32Fn BinaryFor(BinaryOp op) {
  if constexpr (kOp < kBinaryOps) {
    if (static_cast<int>(op) == kOp) {
      return Loops<static_cast<BinaryOp>(kOp)>::Run;
    }
    return BinaryFor<Loops, kOp + 1>(op);
  }
  return nullptr;
}

}  // namespace stint
