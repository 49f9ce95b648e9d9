#pragma once
// Checks of an op's inputs that many shape rules share. Inputs that are absent
// and dimensions that are not known pass; errors name the input by its index.

#include <initializer_list>

#include "model/ops/infer_context.h"

namespace stint {

// Every one of `indices` is present; every present input is a tensor.
Status RequireInputs(const InferContext& ctx,
                     std::initializer_list<int> indices);

// Elements are numbers or bool: no strings, no complex numbers.
Status RequireNumbers(const InferContext& ctx,
                      std::initializer_list<int> indices);
Status RequireFloats(const InferContext& ctx,
                     std::initializer_list<int> indices);
Status RequireIntegers(const InferContext& ctx,
                       std::initializer_list<int> indices);

Status RequireRank(const InferContext& ctx, int i, int64_t rank);
// Rank and dimensions agree; dimensions of `expected` may be unknown.
Status RequireDims(const InferContext& ctx, int i, const Shape& expected);

// Both are known and differ.
inline bool DimsDiffer(int64_t a, int64_t b) {
  return IsKnown(a) && IsKnown(b) && a != b;
}

}  // namespace stint
