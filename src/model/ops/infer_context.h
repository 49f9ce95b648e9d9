#pragma once
// What a shape rule sees: the types of an op's inputs, the contents of those
// that are already known, and a place for the types of its outputs.

#include <optional>
#include <string>
#include <vector>

#include "model/ops/value_type.h"

namespace stint {

class InferContext {
 public:
  struct Input {
    const ValueType* type = nullptr;   // null: the input is absent
    const Tensor* constant = nullptr;  // null: contents not known
  };

  InferContext(std::vector<Input> inputs, int num_outputs)
      : inputs_(std::move(inputs)), outputs_(num_outputs) {}

  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  int num_outputs() const { return static_cast<int>(outputs_.size()); }
  bool has(int i) const {
    return i < num_inputs() && inputs_[i].type != nullptr;
  }
  // The type of input i, which must be present.
  const ValueType& in(int i) const { return *inputs_[i].type; }
  // Contents of input i, or null.
  const Tensor* constant(int i) const {
    return has(i) ? inputs_[i].constant : nullptr;
  }
  // Contents of an integer input as numbers; nothing when they are not known.
  std::optional<std::vector<int64_t>> Ints(int i) const;

  ValueType& out(int i) { return outputs_[i]; }
  const std::vector<ValueType>& outputs() const { return outputs_; }
  void SetOutput(int i, ValueType type) {
    if (i < num_outputs()) outputs_[i] = std::move(type);
  }
  void SetOutput(int i, DType dtype, Shape dims) {
    SetOutput(i, ValueType::Of(dtype, std::move(dims)));
  }
  // Output i has the dtype of input j and unknown rank.
  void SetOutputDType(int i, DType dtype) {
    SetOutput(i, ValueType::Of(dtype));
  }

  // Every output is known to have no elements.
  bool OutputsAreEmpty() const;

  // All of `indices` are present, ranked tensors.
  bool Ranked(std::initializer_list<int> indices) const;

 private:
  std::vector<Input> inputs_;
  std::vector<ValueType> outputs_;
};

// axis in [0, rank), counting from the end when negative; else an error.
Result<int64_t> NormalizeAxis(int64_t axis, int64_t rank);
// Each axis normalized, in the order given; duplicates are an error.
Result<std::vector<int64_t>> NormalizeAxes(const std::vector<int64_t>& axes,
                                           int64_t rank);

// NumPy broadcasting of two shapes; symbols that differ give kUnknownDim.
Result<Shape> BroadcastShapes(const Shape& a, const Shape& b);

// The integers of a constant tensor of any integer type.
std::vector<int64_t> IntsOf(const Tensor& tensor);

// The product of known dims, or kUnknownDim.
int64_t ProductOf(const int64_t* begin, const int64_t* end);

}  // namespace stint
