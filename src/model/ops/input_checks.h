#pragma once
// Checks of an op's inputs that its shape rule makes before anything reads
// their elements: nodes come from files and may have any inputs at all.

#include <initializer_list>

#include "model/ops/infer_context.h"

namespace stint {

enum class Accepts {
  kAny,      // any element type
  kNumber,   // integers, floats and bool
  kFloat,    // floats
  kInteger,  // integers, not bool
  kBool,
  kString,
};

// The first inputs are present tensors of the `required` kinds, the next ones
// tensors of the `optional` kinds or absent, and there is an output.
Status ExpectInputs(const InferContext& ctx,
                    std::initializer_list<Accepts> required,
                    std::initializer_list<Accepts> optional = {});

// Input i has `rank` dimensions, or its rank is not known.
Status ExpectRank(const InferContext& ctx, int i, int64_t rank);

// Input i has one element, or its size is not known.
Status ExpectOneElement(const InferContext& ctx, int i);

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
