#pragma once
// Reference evaluation of the ops on images of bytes: to float32, the plain op
// with weights rounded as they are stored, and back.

#include "engine/reference/eval_context.h"
#include "model/ops/fused/quantized.h"

namespace stint {

Status Eval(const QuantizeImage& op, EvalContext& ctx);
Status Eval(const DequantizeImage& op, EvalContext& ctx);
Status Eval(const QuantizedConv& op, EvalContext& ctx);
Status Eval(const QuantizedMaxPool& op, EvalContext& ctx);
Status Eval(const QuantizedAveragePool& op, EvalContext& ctx);
Status Eval(const QuantizedGlobalAverage& op, EvalContext& ctx);
Status Eval(const QuantizedAdd& op, EvalContext& ctx);
Status Eval(const QuantizedGate& op, EvalContext& ctx);
Status Eval(const QuantizedConcat& op, EvalContext& ctx);
Status Eval(const QuantizedLookup& op, EvalContext& ctx);

}  // namespace stint
