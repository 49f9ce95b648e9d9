#include "engine/nodes/evaluate_now.h"

namespace stint {

Result<std::vector<Value>> EvaluateNow(const Op& op, const InferContext& types,
                                       const std::vector<const Value*>& inputs,
                                       const KernelSite& site,
                                       ThreadPool* pool) {
  EvalContext ctx(inputs.size(), types.outputs().size(), pool);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] != nullptr) ctx.SetInput(static_cast<int>(i), inputs[i]);
  }
  for (size_t i = 0; i < types.outputs().size(); ++i) {
    const ValueType& type = types.outputs()[i];
    if (!type.IsConcrete()) continue;
    STINT_RETURN_IF_ERROR(
        ctx.Allocate(static_cast<int>(i), type.dtype, type.dims));
  }
  STINT_ASSIGN_OR_RETURN(const auto kernel, MakeKernel(op, types, site));
  STINT_RETURN_IF_ERROR(RunOnce(kernel.get(), &ctx));
  std::vector<Value> outputs;
  for (int i = 0; i < ctx.num_outputs(); ++i) {
    outputs.push_back(std::move(ctx.out_value(i)));
  }
  return outputs;
}

bool DependsOnTypesOnly(const Op& op) {
  return As<Shape_>(op) != nullptr || As<Size_>(op) != nullptr;
}

bool IsControlFlow(const Op& op) {
  return As<If>(op) || As<Loop>(op) || As<Scan>(op) || As<SequenceMap>(op);
}

bool IsRandom(const Op& op) {
  return As<RandomNormal>(op) || As<RandomUniform>(op) ||
         As<RandomNormalLike>(op) || As<RandomUniformLike>(op) ||
         As<Bernoulli>(op) || As<Multinomial>(op);
}

}  // namespace stint
