#pragma once
// Ops that make tensors from little: a shape, a range, a pattern.

#include <string_view>

#include "model/ops/fields.h"
#include "model/ops/infer_context.h"

namespace stint {

// Input shape (int64); `value` has one element.
struct ConstantOfShape {
  static constexpr std::string_view kName = "ConstantOfShape";
  Tensor value = Tensor::Vector<float>({0.0f});
  STINT_FIELDS(value)
};

// Inputs start, limit, delta (scalars).
struct Range {
  static constexpr std::string_view kName = "Range";
  STINT_FIELDS()
};

// Ones on diagonal k of a matrix shaped like the input. dtype_like: use the
// input's element type.
struct EyeLike {
  static constexpr std::string_view kName = "EyeLike";
  DType dtype = DType::kFloat32;
  int64_t k = 0;
  int64_t dtype_like = 0;
  STINT_FIELDS(dtype, k)
};

Status Infer(const ConstantOfShape& op, InferContext& ctx);
Status Infer(const Range& op, InferContext& ctx);
Status Infer(const EyeLike& op, InferContext& ctx);

}  // namespace stint
