#pragma once
// Rectangular cuts and margins.

#include <string>
#include <string_view>
#include <vector>

#include "model/ops/fields.h"
#include "model/ops/infer_context.h"

namespace stint {

// Inputs data, starts, ends, axes (optional), steps (optional), integers.
struct Slice {
  static constexpr std::string_view kName = "Slice";
  STINT_FIELDS()
};

// Per dimension of the input: first index, step and count of what is taken.
struct SliceRange {
  int64_t start = 0;
  int64_t step = 1;
  int64_t count = 0;
};
// `axes` and `steps` may be empty (all axes in order; 1).
Result<std::vector<SliceRange>> ResolveSlice(const Shape& dims,
                                             const std::vector<int64_t>& starts,
                                             const std::vector<int64_t>& ends,
                                             const std::vector<int64_t>& axes,
                                             const std::vector<int64_t>& steps);

// Inputs data, pads (int64: all begins, all ends, may be negative), value
// (optional), axes (optional). mode: constant, reflect, edge or wrap.
struct Pad {
  static constexpr std::string_view kName = "Pad";
  std::string mode = "constant";
  STINT_FIELDS(mode)
};

// Pads per dimension of the input, begins then ends.
Result<std::vector<int64_t>> ResolvePads(int64_t rank,
                                         const std::vector<int64_t>& pads,
                                         const std::vector<int64_t>& axes);

Status Infer(const Slice& op, InferContext& ctx);
Status Infer(const Pad& op, InferContext& ctx);

}  // namespace stint
