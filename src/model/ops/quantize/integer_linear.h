#pragma once
// Matrix products and convolutions of quantized operands: (a - zero_a) times
// (b - zero_b) in 32-bit integers, as they are or quantized again.

#include <string>
#include <string_view>
#include <vector>

#include "model/ops/fields.h"
#include "model/ops/infer_context.h"
#include "model/ops/linear/conv.h"

namespace stint {

// Inputs a, b, zero of a (optional; one or [m]), zero of b (optional; one or
// [n]). The output is int32.
struct MatMulInteger {
  static constexpr std::string_view kName = "MatMulInteger";
  STINT_FIELDS()
};

// Inputs x, w, zero of x (optional; one), zero of w (optional; one or [oc]).
// The output is int32.
struct ConvInteger {
  static constexpr std::string_view kName = "ConvInteger";
  std::string auto_pad = "NOTSET";
  std::vector<int64_t> dilations;
  int64_t group = 1;
  std::vector<int64_t> kernel_shape;
  std::vector<int64_t> pads;
  std::vector<int64_t> strides;
  STINT_FIELDS(auto_pad, dilations, group, kernel_shape, pads, strides)
};

// Inputs a, b and y as value (but for y), scale, zero: a, a_scale, a_zero, b,
// b_scale, b_zero, y_scale, y_zero. Those of a are one or [m], of b one or [n],
// of y one.
struct QLinearMatMul {
  static constexpr std::string_view kName = "QLinearMatMul";
  STINT_FIELDS()
};

// Inputs as QLinearMatMul with x and w, then a bias [oc] (int32, optional) of
// scale x_scale * w_scale. Scale and zero of w are one or [oc].
struct QLinearConv {
  static constexpr std::string_view kName = "QLinearConv";
  std::string auto_pad = "NOTSET";
  std::vector<int64_t> dilations;
  int64_t group = 1;
  std::vector<int64_t> kernel_shape;
  std::vector<int64_t> pads;
  std::vector<int64_t> strides;
  STINT_FIELDS(auto_pad, dilations, group, kernel_shape, pads, strides)
};

Status Infer(const MatMulInteger& op, InferContext& ctx);
Status Infer(const ConvInteger& op, InferContext& ctx);
Status Infer(const QLinearMatMul& op, InferContext& ctx);
Status Infer(const QLinearConv& op, InferContext& ctx);
int64_t Macs(const MatMulInteger& op, const InferContext& ctx);
int64_t Macs(const ConvInteger& op, const InferContext& ctx);
int64_t Macs(const QLinearMatMul& op, const InferContext& ctx);
int64_t Macs(const QLinearConv& op, const InferContext& ctx);

// The convolution of real numbers with the same geometry.
template <typename QuantizedConv>
Conv GeometryOf(const QuantizedConv& op) {
  return Conv{op.auto_pad,     op.dilations, op.group,
              op.kernel_shape, op.pads,      op.strides};
}

}  // namespace stint
