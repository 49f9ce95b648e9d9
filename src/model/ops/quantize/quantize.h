#pragma once
// Between real numbers and small ones: y = saturate(round(x / scale) + zero)
// and back, rounding half to even.

#include <string_view>

#include "model/ops/fields.h"
#include "model/ops/infer_context.h"

namespace stint {

// Inputs x, scale, zero point (optional). The output has the zero point's
// element type, without one output_dtype. `saturate` matters for 8-bit floats.
// The division has the precision of the scale. See ScaleGrid for axis and
// block_size.
struct QuantizeLinear {
  static constexpr std::string_view kName = "QuantizeLinear";
  int64_t axis = 1;
  int64_t block_size = 0;
  DType output_dtype = DType::kUInt8;
  int64_t saturate = 1;
  STINT_FIELDS(axis, block_size, output_dtype, saturate)
};

// Inputs x, scale, zero point (optional). output_dtype_of_scale: the output has
// the scale's element type instead of output_dtype.
struct DequantizeLinear {
  static constexpr std::string_view kName = "DequantizeLinear";
  int64_t axis = 1;
  int64_t block_size = 0;
  DType output_dtype = DType::kFloat32;
  int64_t output_dtype_of_scale = 1;
  STINT_FIELDS(axis, block_size, output_dtype, output_dtype_of_scale)
};

// Outputs y (uint8), its scale and its zero point, from the range of x.
struct DynamicQuantizeLinear {
  static constexpr std::string_view kName = "DynamicQuantizeLinear";
  STINT_FIELDS()
};

Status Infer(const QuantizeLinear& op, InferContext& ctx);
Status Infer(const DequantizeLinear& op, InferContext& ctx);
Status Infer(const DynamicQuantizeLinear& op, InferContext& ctx);

// Which scale belongs to which element, x seen as [outer, length, inner]:
//   scale[o * outer_stride + a / block * axis_stride + i * inner_stride].
// One scale for all, one per slice along an axis, or one per block of
// `block_size` elements along an axis.
struct ScaleGrid {
  int64_t length = 1;
  int64_t inner = 1;
  int64_t block = 1;
  int64_t outer_stride = 0;
  int64_t axis_stride = 0;
  int64_t inner_stride = 0;
  bool one_scale = false;
};

// Fails when the scale's shape is none of the three. All dimensions are known.
Result<ScaleGrid> MakeScaleGrid(const Shape& x, const Shape& scale,
                                int64_t axis, int64_t block_size);

// The range of an integer type of at most 16 bits; false for other types.
bool QuantizedRange(DType dtype, int32_t* low, int32_t* high);

}  // namespace stint
