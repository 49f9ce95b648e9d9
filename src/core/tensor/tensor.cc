#include "stint/tensor.h"

#include <cstdlib>
#include <cstring>

#include "core/base/check.h"
#include "core/base/checked_math.h"
#include "core/platform/memory/memory.h"

namespace stint {
namespace {

struct DTypeRow {
  DType dtype;
  std::string_view name;
  size_t size;
};

constexpr DTypeRow kDTypes[] = {
    {DType::kFloat32, "float32", 4},
    {DType::kFloat64, "float64", 8},
    {DType::kFloat16, "float16", 2},
    {DType::kBFloat16, "bfloat16", 2},
    {DType::kInt8, "int8", 1},
    {DType::kInt16, "int16", 2},
    {DType::kInt32, "int32", 4},
    {DType::kInt64, "int64", 8},
    {DType::kUInt8, "uint8", 1},
    {DType::kUInt16, "uint16", 2},
    {DType::kUInt32, "uint32", 4},
    {DType::kUInt64, "uint64", 8},
    {DType::kBool, "bool", 1},
    {DType::kString, "string", sizeof(std::string)},
    {DType::kInt4, "int4", 1},
    {DType::kUInt4, "uint4", 1},
    {DType::kInt2, "int2", 1},
    {DType::kUInt2, "uint2", 1},
    {DType::kFloat8E4M3FN, "float8e4m3fn", 1},
    {DType::kFloat8E4M3FNUZ, "float8e4m3fnuz", 1},
    {DType::kFloat8E5M2, "float8e5m2", 1},
    {DType::kFloat8E5M2FNUZ, "float8e5m2fnuz", 1},
    {DType::kFloat8E8M0, "float8e8m0", 1},
    {DType::kFloat4E2M1, "float4e2m1", 1},
    {DType::kComplex64, "complex64", 8},
    {DType::kComplex128, "complex128", 16},
};

constexpr bool TableFollowsEnum() {
  for (size_t i = 0; i < std::size(kDTypes); ++i) {
    if (kDTypes[i].dtype != static_cast<DType>(i)) return false;
  }
  return true;
}
static_assert(TableFollowsEnum());

const DTypeRow& Row(DType dtype) { return kDTypes[static_cast<size_t>(dtype)]; }

// Vector registers of every ISA and a cache line.
constexpr size_t kAlignment = 64;

}  // namespace

std::string_view DTypeName(DType dtype) { return Row(dtype).name; }
size_t DTypeSize(DType dtype) { return Row(dtype).size; }

bool IsFloat(DType dtype) {
  return dtype <= DType::kBFloat16 ||
         (dtype >= DType::kFloat8E4M3FN && dtype <= DType::kFloat4E2M1);
}

bool IsInteger(DType dtype) {
  return (dtype >= DType::kInt8 && dtype <= DType::kUInt64) ||
         (dtype >= DType::kInt4 && dtype <= DType::kUInt2);
}

std::string ToString(const Shape& shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ',';
    text += std::to_string(shape[i]);
  }
  return text + "]";
}

Result<int64_t> ElementCount(const Shape& shape) {
  int64_t count = 1;
  bool empty = false;
  for (int64_t dim : shape) {
    if (dim < 0) {
      return InvalidArgument("shape " + ToString(shape) +
                             " has a negative dimension");
    }
    if (dim == 0) {
      empty = true;
    } else if (!CheckedMul(count, dim, &count)) {
      return ResourceExhausted("shape " + ToString(shape) +
                               " has more elements than 64 bits can count");
    }
  }
  return empty ? 0 : count;
}

Result<Tensor> Tensor::Allocate(DType dtype, Shape shape) {
  STINT_ASSIGN_OR_RETURN(const int64_t count, ElementCount(shape));
  int64_t bytes = 0;
  if (!CheckedMul(count, static_cast<int64_t>(DTypeSize(dtype)), &bytes) ||
      bytes > PhysicalMemoryBytes()) {
    return ResourceExhausted("tensor " + std::string(DTypeName(dtype)) +
                             ToString(shape) +
                             " is larger than this machine's memory");
  }
  Tensor tensor;
  tensor.dtype_ = dtype;
  tensor.shape_ = std::move(shape);
  tensor.size_ = count;
  if (dtype == DType::kString) {
    auto strings = std::make_shared<std::vector<std::string>>(count);
    tensor.data_ = strings->data();
    tensor.owner_ = std::move(strings);
    return tensor;
  }
  const size_t padded = RoundUp(bytes > 0 ? bytes : 1, kAlignment);
  void* data = std::aligned_alloc(kAlignment, padded);
  if (data == nullptr) {
    return ResourceExhausted("out of memory for tensor " +
                             std::string(DTypeName(dtype)) +
                             ToString(tensor.shape_));
  }
  std::memset(data, 0, padded);
  tensor.data_ = data;
  tensor.owner_ = std::shared_ptr<const void>(
      data, [](const void* p) { std::free(const_cast<void*>(p)); });
  return tensor;
}

Tensor Tensor::Borrow(DType dtype, Shape shape, void* data,
                      std::shared_ptr<const void> keep_alive) {
  Tensor tensor;
  tensor.dtype_ = dtype;
  tensor.shape_ = std::move(shape);
  tensor.size_ = ElementCount(tensor.shape_).value();
  tensor.data_ = data;
  tensor.owner_ = std::move(keep_alive);
  return tensor;
}

Tensor Tensor::Reshaped(Shape shape) const {
  Tensor tensor = *this;
  tensor.shape_ = std::move(shape);
  STINT_CHECK(ElementCount(tensor.shape_).value() == size_);
  return tensor;
}

Result<Tensor> Tensor::Clone() const {
  STINT_ASSIGN_OR_RETURN(Tensor copy, Allocate(dtype_, shape_));
  if (dtype_ == DType::kString) {
    for (int64_t i = 0; i < size_; ++i) {
      copy.data<std::string>()[i] = data<std::string>()[i];
    }
  } else if (size_ > 0) {
    std::memcpy(copy.data_, data_, bytes());
  }
  return copy;
}

Value Value::Sequence(std::vector<Value> elements) {
  Value value;
  value.kind_ = Kind::kSequence;
  value.elements_ = std::move(elements);
  return value;
}

Value Value::Optional(std::shared_ptr<const Value> element) {
  Value value;
  value.kind_ = Kind::kOptional;
  if (element != nullptr) value.elements_.push_back(*element);
  return value;
}

}  // namespace stint
