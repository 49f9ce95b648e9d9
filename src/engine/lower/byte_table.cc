#include "engine/lower/byte_table.h"

#include <algorithm>

#include "engine/reference/evaluate.h"

namespace stint {

bool IsElementwise(const Op& op) {
  return As<Unary>(op) || As<Swish>(op) || As<HardSigmoid>(op) ||
         As<LeakyRelu>(op) || As<Elu>(op) || As<Gelu>(op) || As<Clip>(op) ||
         As<Selu>(op) || As<Celu>(op) || As<ThresholdedRelu>(op);
}

Result<Tensor> ByteTable(const Op& op,
                         const std::vector<const Tensor*>& constants,
                         const ByteCode& from, const ByteCode& to) {
  STINT_ASSIGN_OR_RETURN(Tensor x, Tensor::Allocate(DType::kFloat32, {256}));
  for (int64_t q = 0; q < 256; ++q) {
    x.data<float>()[q] = from.scale * static_cast<float>(q - from.zero);
  }
  std::vector<Value> inputs;
  for (const Tensor* constant : constants) {
    inputs.push_back(constant ? Value(*constant) : Value());
  }
  inputs[0] = Value(std::move(x));
  ThreadPool pool(1);
  EvalContext ctx(inputs.size(), 1, &pool);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (i == 0 || constants[i] != nullptr) {
      ctx.SetInput(static_cast<int>(i), &inputs[i]);
    }
  }
  STINT_RETURN_IF_ERROR(ctx.Allocate(0, DType::kFloat32, {256}));
  STINT_RETURN_IF_ERROR(Evaluate(op, ctx));
  STINT_ASSIGN_OR_RETURN(Tensor table, Tensor::Allocate(DType::kUInt8, {256}));
  for (int64_t q = 0; q < 256; ++q) {
    const float y = std::nearbyint(ctx.out(0).data<float>()[q] / to.scale) +
                    static_cast<float>(to.zero);
    table.data<uint8_t>()[q] =
        static_cast<uint8_t>(std::clamp(y, 0.0f, 255.0f));
  }
  return table;
}

}  // namespace stint
