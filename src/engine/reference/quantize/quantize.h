#pragma once
// Reference evaluation of quantization and of integer products.

#include "engine/reference/eval_context.h"
#include "model/ops/quantize/integer_linear.h"
#include "model/ops/quantize/quantize.h"

namespace stint {

Status Eval(const QuantizeLinear& op, EvalContext& ctx);
Status Eval(const DequantizeLinear& op, EvalContext& ctx);
Status Eval(const DynamicQuantizeLinear& op, EvalContext& ctx);
Status Eval(const MatMulInteger& op, EvalContext& ctx);
Status Eval(const ConvInteger& op, EvalContext& ctx);
Status Eval(const QLinearMatMul& op, EvalContext& ctx);
Status Eval(const QLinearConv& op, EvalContext& ctx);

// x rounded to the nearest integer, half to even, for |x| <= 2^22: adding the
// constant shifts the fraction out. Unlike std::nearbyint it vectorizes for
// every instruction set.
inline float RoundHalfToEven(float x) {
  constexpr float kShift = 12582912.0f;  // 1.5 * 2^23
  return (x + kShift) - kShift;
}

// round(x) + zero within [low, high]; NaN gives `low`. All of |low|, |high| and
// |zero| are at most 2^16.
inline float SaturateRounded(float x, float zero, float low, float high) {
  x = x > low - zero ? x : low - zero;
  x = x < high - zero ? x : high - zero;
  return RoundHalfToEven(x) + zero;
}

}  // namespace stint
