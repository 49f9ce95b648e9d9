#pragma once
// Runs one op through its shape rule and its reference evaluation, for tests.

#include <vector>

#include "engine/bind/evaluate.h"

namespace stint {

// Inputs that are float32 [0] count as absent.
inline Result<std::vector<Tensor>> RunReference(
    const Op& op, const std::vector<Tensor>& inputs, int num_outputs = 1) {
  ThreadPool pool(1);
  const std::vector<Value> values(inputs.begin(), inputs.end());
  std::vector<ValueType> types;
  for (const Tensor& tensor : inputs) types.push_back(ValueType::Of(tensor));
  EvalContext ctx(inputs.size(), static_cast<size_t>(num_outputs), &pool);
  std::vector<InferContext::Input> rule_inputs(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].raw() == nullptr) continue;
    rule_inputs[i] = {&types[i], &inputs[i]};
    ctx.SetInput(static_cast<int>(i), &values[i]);
  }
  InferContext rule(std::move(rule_inputs), num_outputs);
  STINT_RETURN_IF_ERROR(InferTypes(op, rule));
  for (int i = 0; i < num_outputs; ++i) {
    STINT_RETURN_IF_ERROR(
        ctx.Allocate(i, rule.outputs()[i].dtype, rule.outputs()[i].dims));
  }
  STINT_RETURN_IF_ERROR(Evaluate(op, ctx));
  std::vector<Tensor> outputs;
  for (int i = 0; i < num_outputs; ++i) outputs.push_back(ctx.out(i));
  return outputs;
}

// A tensor of the given shape and elements.
template <typename T>
Tensor Make(Shape shape, const std::vector<T>& values) {
  return Tensor::FromVector<T>(std::move(shape), values).value();
}

template <typename T>
std::vector<T> Elements(const Tensor& tensor) {
  return std::vector<T>(tensor.data<T>(), tensor.data<T>() + tensor.size());
}

}  // namespace stint
