#include "engine/elastic/input_shapes.h"

#include <algorithm>

namespace stint {

int64_t SizeOf(std::span<const Value> inputs) {
  int64_t size = 0;
  for (const Value& input : inputs) {
    if (input.is_tensor()) size += std::max<int64_t>(1, input.tensor().size());
  }
  return size;
}

InputShapes InputShapes::Of(std::span<const Value> inputs) {
  InputShapes shapes;
  for (const Value& input : inputs) shapes.types_.push_back(TypeOf(input));
  shapes.elements_ = SizeOf(inputs);
  return shapes;
}

int64_t InputShapes::first_elements() const {
  for (const ValueType& type : types_) {
    if (!type.is_tensor()) continue;
    const auto count = ElementCount(type.dims);
    return count.ok() ? *count : 0;
  }
  return 0;
}

int64_t InputShapes::batch() const {
  for (const ValueType& type : types_) {
    if (type.is_tensor()) return type.dims.empty() ? 1 : type.dims[0];
  }
  return 1;
}

Result<std::vector<Value>> InputShapes::Zeros() const {
  std::vector<Value> zeros;
  for (const ValueType& type : types_) {
    if (!type.is_tensor()) {
      return Unsupported("an input that is not a tensor has no shape to keep");
    }
    STINT_ASSIGN_OR_RETURN(Tensor tensor,
                           Tensor::Allocate(type.dtype, type.dims));
    zeros.push_back(std::move(tensor));
  }
  return zeros;
}

}  // namespace stint
