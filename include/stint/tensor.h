#pragma once
// Tensors as the public API sees them: an element type, a shape and contiguous
// row-major elements in memory that is owned, shared or borrowed.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "stint/status.h"

namespace stint {

// Element types. Types narrower than a byte are stored one element per byte.
enum class DType : uint8_t {
  kFloat32,
  kFloat64,
  kFloat16,
  kBFloat16,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kUInt8,
  kUInt16,
  kUInt32,
  kUInt64,
  kBool,
  kString,
  kInt4,
  kUInt4,
  kInt2,
  kUInt2,
  kFloat8E4M3FN,
  kFloat8E4M3FNUZ,
  kFloat8E5M2,
  kFloat8E5M2FNUZ,
  kFloat8E8M0,
  kFloat4E2M1,
  kComplex64,
  kComplex128,
};

std::string_view DTypeName(DType dtype);  // "float32", "int64", ...
size_t DTypeSize(DType dtype);            // bytes per stored element
bool IsFloat(DType dtype);                // any floating type, not complex
bool IsInteger(DType dtype);              // signed or unsigned, not bool

// Tags for 16-bit floats, so that Tensor::data<Float16>() is typed.
struct Float16 {
  uint16_t bits;
};
struct BFloat16 {
  uint16_t bits;
};

template <typename T>
constexpr DType DTypeOf() {
  if constexpr (std::is_same_v<T, float>) return DType::kFloat32;
  if constexpr (std::is_same_v<T, double>) return DType::kFloat64;
  if constexpr (std::is_same_v<T, Float16>) return DType::kFloat16;
  if constexpr (std::is_same_v<T, BFloat16>) return DType::kBFloat16;
  if constexpr (std::is_same_v<T, int8_t>) return DType::kInt8;
  if constexpr (std::is_same_v<T, int16_t>) return DType::kInt16;
  if constexpr (std::is_same_v<T, int32_t>) return DType::kInt32;
  if constexpr (std::is_same_v<T, int64_t>) return DType::kInt64;
  if constexpr (std::is_same_v<T, uint8_t>) return DType::kUInt8;
  if constexpr (std::is_same_v<T, uint16_t>) return DType::kUInt16;
  if constexpr (std::is_same_v<T, uint32_t>) return DType::kUInt32;
  if constexpr (std::is_same_v<T, uint64_t>) return DType::kUInt64;
  if constexpr (std::is_same_v<T, bool>) return DType::kBool;
  if constexpr (std::is_same_v<T, std::string>) return DType::kString;
}

using Shape = std::vector<int64_t>;

std::string ToString(const Shape& shape);  // "[1,3,224,224]"

// Number of elements, or nothing when a dimension is negative or the product
// does not fit into int64.
Result<int64_t> ElementCount(const Shape& shape);

// Copying a Tensor shares its elements. A default Tensor is float32 [0].
class Tensor {
 public:
  Tensor() = default;

  // Zeroed elements aligned to 64 bytes. Fails on a negative dimension, on
  // overflow, and on more bytes than the machine has memory.
  static Result<Tensor> Allocate(DType dtype, Shape shape);

  // Elements at `data`, which `keep_alive` (may be null) keeps valid.
  static Tensor Borrow(DType dtype, Shape shape, void* data,
                       std::shared_ptr<const void> keep_alive = nullptr);

  // Copies `values`, whose count must be the shape's; otherwise an error.
  template <typename T>
  static Result<Tensor> FromVector(Shape shape, const std::vector<T>& values);

  template <typename T>
  static Tensor Scalar(T value) {
    return FromVector<T>({}, {value}).value();
  }
  // A vector [n] of the given elements.
  template <typename T>
  static Tensor Vector(const std::vector<T>& values) {
    return FromVector<T>({static_cast<int64_t>(values.size())}, values).value();
  }

  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  int64_t rank() const { return static_cast<int64_t>(shape_.size()); }
  int64_t dim(int64_t i) const { return shape_[i]; }
  int64_t size() const { return size_; }  // elements
  size_t bytes() const { return size_ * DTypeSize(dtype_); }

  // The caller vouches that T is the element type (sub-byte and 8-bit float
  // types are read as int8_t or uint8_t, bool as bool).
  template <typename T>
  const T* data() const {
    return static_cast<const T*>(data_);
  }
  template <typename T>
  T* data() {
    return static_cast<T*>(data_);
  }
  const void* raw() const { return data_; }
  void* raw() { return data_; }
  // Something that lives as long as this Tensor keeps the elements valid.
  bool is_kept_alive() const { return owner_ != nullptr; }

  // False after DropElements, unless there are none anyway.
  bool has_elements() const { return data_ != nullptr || size_ == 0; }
  // Lets go of the elements and keeps type and shape.
  void DropElements() {
    data_ = nullptr;
    owner_.reset();
  }

  // The same elements under another shape of the same count.
  Tensor Reshaped(Shape shape) const;
  // A deep copy.
  Result<Tensor> Clone() const;

 private:
  DType dtype_ = DType::kFloat32;
  Shape shape_ = {0};
  int64_t size_ = 0;
  void* data_ = nullptr;
  std::shared_ptr<const void> owner_;
};

template <typename T>
Result<Tensor> Tensor::FromVector(Shape shape, const std::vector<T>& values) {
  STINT_ASSIGN_OR_RETURN(Tensor tensor, Allocate(DTypeOf<T>(), shape));
  if (tensor.size() != static_cast<int64_t>(values.size())) {
    return InvalidArgument("tensor of shape " + ToString(shape) + " needs " +
                           std::to_string(tensor.size()) + " elements, got " +
                           std::to_string(values.size()));
  }
  T* out = tensor.data<T>();
  for (size_t i = 0; i < values.size(); ++i) out[i] = values[i];
  return tensor;
}

// What flows along an edge of a model: a tensor, a sequence of values, or an
// optional one. Nearly always a tensor.
class Value {
 public:
  enum class Kind { kTensor, kSequence, kOptional };

  Value() = default;
  Value(Tensor tensor) : tensor_(std::move(tensor)) {}  // NOLINT: implicit
  static Value Sequence(std::vector<Value> elements);
  // An optional that holds `element`, or nothing.
  static Value Optional(std::shared_ptr<const Value> element);

  Kind kind() const { return kind_; }
  bool is_tensor() const { return kind_ == Kind::kTensor; }
  const Tensor& tensor() const { return tensor_; }
  Tensor& tensor() { return tensor_; }
  const std::vector<Value>& elements() const { return elements_; }
  std::vector<Value>& elements() { return elements_; }
  bool has_element() const { return !elements_.empty(); }

 private:
  Kind kind_ = Kind::kTensor;
  Tensor tensor_;
  std::vector<Value> elements_;  // of a sequence; zero or one of an optional
};

}  // namespace stint
