#pragma once
// Elements chosen by index. Negative indices count from the end.

#include <string_view>

#include "model/ops/fields.h"
#include "model/ops/infer_context.h"

namespace stint {

// Inputs data, indices: whole slices along the axis.
struct Gather {
  static constexpr std::string_view kName = "Gather";
  int64_t axis = 0;
  STINT_FIELDS(axis)
};

// One index per output element.
struct GatherElements {
  static constexpr std::string_view kName = "GatherElements";
  int64_t axis = 0;
  STINT_FIELDS(axis)
};

// The last dimension of the indices is a coordinate.
struct GatherND {
  static constexpr std::string_view kName = "GatherND";
  int64_t batch_dims = 0;
  STINT_FIELDS(batch_dims)
};

Status Infer(const Gather& op, InferContext& ctx);
Status Infer(const GatherElements& op, InferContext& ctx);
Status Infer(const GatherND& op, InferContext& ctx);

}  // namespace stint
