#pragma once
// Runs one op on given inputs, as a test needs it.

#include <optional>
#include <vector>

#include "engine/reference/evaluate.h"

namespace stint {

using OpInputs = std::vector<std::optional<Value>>;

// Shape rule and reference evaluation; an input without a value is absent.
inline Result<std::vector<Value>> RunOp(const Op& op, const OpInputs& inputs,
                                        int num_outputs = 1) {
  ThreadPool pool(1);
  std::vector<ValueType> types(inputs.size());
  std::vector<InferContext::Input> known(inputs.size());
  EvalContext ctx(inputs.size(), static_cast<size_t>(num_outputs), &pool);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i]) continue;
    types[i] = TypeOf(*inputs[i]);
    known[i] = {&types[i],
                inputs[i]->is_tensor() ? &inputs[i]->tensor() : nullptr};
    ctx.SetInput(static_cast<int>(i), &*inputs[i]);
  }
  InferContext infer(std::move(known), num_outputs);
  STINT_RETURN_IF_ERROR(InferTypes(op, infer));
  for (int i = 0; i < num_outputs; ++i) {
    const ValueType& type = infer.outputs()[i];
    if (!type.IsConcrete()) continue;
    STINT_RETURN_IF_ERROR(ctx.Allocate(i, type.dtype, type.dims));
  }
  STINT_RETURN_IF_ERROR(Evaluate(op, ctx));
  std::vector<Value> outputs;
  for (int i = 0; i < num_outputs; ++i) outputs.push_back(ctx.out_value(i));
  return outputs;
}

// The same for tensors; a default Tensor counts as absent.
inline Result<std::vector<Tensor>> RunReference(
    const Op& op, const std::vector<Tensor>& inputs, int num_outputs = 1) {
  OpInputs values;
  for (const Tensor& tensor : inputs) {
    values.push_back(tensor.raw() != nullptr ? std::optional<Value>(tensor)
                                             : std::nullopt);
  }
  STINT_ASSIGN_OR_RETURN(const auto outputs, RunOp(op, values, num_outputs));
  std::vector<Tensor> tensors;
  for (const Value& output : outputs) tensors.push_back(output.tensor());
  return tensors;
}

template <typename T>
Tensor Filled(Shape shape, const std::vector<T>& values) {
  return Tensor::FromVector<T>(std::move(shape), values).value();
}

// The elements of a tensor.
template <typename T>
std::vector<T> Elements(const Value& value) {
  const T* data = value.tensor().data<T>();
  return std::vector<T>(data, data + value.tensor().size());
}

}  // namespace stint
