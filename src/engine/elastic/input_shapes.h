#pragma once
// The shapes of a run's inputs, kept in their place: what a program is bound to
// and rehearsed with after the inputs themselves are gone.

#include <cstdint>
#include <span>
#include <vector>

#include "model/ops/value_type.h"
#include "stint/status.h"
#include "stint/tensor.h"

namespace stint {

// How large inputs are together, in elements of their tensors; a tensor counts
// as one at least.
int64_t SizeOf(std::span<const Value> inputs);

class InputShapes {
 public:
  InputShapes() = default;
  static InputShapes Of(std::span<const Value> inputs);

  bool empty() const { return types_.empty(); }
  int64_t elements() const { return elements_; }
  // Of the first tensor: tokens of a text.
  int64_t first_elements() const;
  // First dimension of the first tensor; 1 where there is none.
  int64_t batch() const;
  // Tensors of zeros: valid token ids, and pixels. kUnsupported when an input
  // is not a tensor.
  Result<std::vector<Value>> Zeros() const;

  bool operator==(const InputShapes&) const = default;

 private:
  std::vector<ValueType> types_;
  int64_t elements_ = 0;
};

}  // namespace stint
