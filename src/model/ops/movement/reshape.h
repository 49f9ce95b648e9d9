#pragma once
// Ops that change how elements are shaped, not the elements.

#include <string_view>
#include <vector>

#include "model/ops/fields.h"
#include "model/ops/infer_context.h"

namespace stint {

// Inputs data, shape (int64). 0 copies the input's dimension unless allowzero;
// one -1 is worked out.
struct Reshape {
  static constexpr std::string_view kName = "Reshape";
  int64_t allowzero = 0;
  STINT_FIELDS(allowzero)
};

struct Flatten {
  static constexpr std::string_view kName = "Flatten";
  int64_t axis = 1;
  STINT_FIELDS(axis)
};

// Inputs data, axes (optional int64: all dimensions of size 1).
struct Squeeze {
  static constexpr std::string_view kName = "Squeeze";
  STINT_FIELDS()
};

// Inputs data, axes (int64, of the output).
struct Unsqueeze {
  static constexpr std::string_view kName = "Unsqueeze";
  STINT_FIELDS()
};

// Inputs data, shape (int64): two-sided broadcasting.
struct Expand {
  static constexpr std::string_view kName = "Expand";
  STINT_FIELDS()
};

// Dimensions [start, end) of the input as int64. (The trailing underscore keeps
// the name apart from stint::Shape.)
struct Shape_ {
  static constexpr std::string_view kName = "Shape";
  int64_t start = 0;
  int64_t end = INT64_MAX;
  STINT_FIELDS(start, end)
};

// Number of elements as an int64 scalar.
struct Size_ {
  static constexpr std::string_view kName = "Size";
  STINT_FIELDS()
};

Status Infer(const Reshape& op, InferContext& ctx);
Status Infer(const Flatten& op, InferContext& ctx);
Status Infer(const Squeeze& op, InferContext& ctx);
Status Infer(const Unsqueeze& op, InferContext& ctx);
Status Infer(const Expand& op, InferContext& ctx);
Status Infer(const Shape_& op, InferContext& ctx);
Status Infer(const Size_& op, InferContext& ctx);

// The dimensions that Shape_ yields for an input shape.
std::vector<int64_t> ShapeSlice(const Shape_& op, const Shape& dims);

}  // namespace stint
