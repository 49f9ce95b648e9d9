#pragma once
// What is known of a value before it is computed: its kind, element type and
// dimensions, each of which may be unknown or symbolic.

#include <cstdint>
#include <string>
#include <vector>

#include "stint/tensor.h"

namespace stint {

// A dimension is a size (>= 0), kUnknownDim, or a symbol id (<= kFirstSymbol)
// that the graph gives a name such as "batch". Equal symbols are equal sizes.
inline constexpr int64_t kUnknownDim = -1;
inline constexpr int64_t kFirstSymbol = -2;

// Far above any memory, and small enough that a shape rule may add two sizes or
// multiply one by a window without overflow.
inline constexpr int64_t kMaxDim = int64_t{1} << 40;

inline bool IsKnown(int64_t dim) { return dim >= 0; }

struct ValueType {
  Value::Kind kind = Value::Kind::kTensor;
  bool typed = false;             // `dtype` (and `kind`) mean something
  DType dtype = DType::kFloat32;  // of the tensor, or of a sequence's tensors
  bool ranked = false;            // `dims` means something
  Shape dims;
  bool optional_sequence = false;  // an optional that holds a sequence

  static ValueType Of(DType dtype) {
    ValueType type;
    type.typed = true;
    type.dtype = dtype;
    return type;
  }
  static ValueType Of(DType dtype, Shape dims) {
    ValueType type = Of(dtype);
    type.ranked = true;
    type.dims = std::move(dims);
    return type;
  }
  static ValueType Of(const Tensor& tensor) {
    return Of(tensor.dtype(), tensor.shape());
  }
  static ValueType SequenceOf(DType dtype) {
    ValueType type = Of(dtype);
    type.kind = Value::Kind::kSequence;
    return type;
  }

  bool is_tensor() const { return kind == Value::Kind::kTensor; }
  int64_t rank() const { return static_cast<int64_t>(dims.size()); }
  // Element type and every dimension are known.
  bool IsConcrete() const;
  bool operator==(const ValueType&) const = default;
};

// Known sizes are at most kMaxDim, and their product fits into 64 bits with
// room for a byte count.
Status CheckDims(const Shape& dims);

// The type of a run-time value.
ValueType TypeOf(const Value& value);

// "float32[batch,3,224,224]"; symbols by index into `symbols` (symbol id
// kFirstSymbol is symbols[0]); "?" for what is unknown.
std::string ToString(const ValueType& type,
                     const std::vector<std::string>& symbols);

}  // namespace stint
