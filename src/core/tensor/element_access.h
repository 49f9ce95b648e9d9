#pragma once
// Elements of any type as one of four wide types, so that an op's reference
// needs four instantiations instead of twenty. 16-bit, 8-bit and 4-bit floats
// are computed in float, integers in 64 bits with wrap-around on the way back.

#include <cstdint>

#include "core/base/float_bits.h"
#include "stint/tensor.h"

namespace stint {

enum class ComputeClass { kFloat, kDouble, kSigned, kUnsigned };

// The wide type that holds every value of `dtype` (bool counts as unsigned).
// Not for strings and complex numbers.
ComputeClass ComputeClassOf(DType dtype);

// The format of an 8-bit float with sign, exponent and mantissa; null for other
// types.
const Float8Format* Float8FormatOf(DType dtype);

// Reads elements [begin, begin + count), converting to T, which is float,
// double, int64_t or uint64_t.
template <typename T>
void LoadElements(const Tensor& tensor, int64_t begin, int64_t count, T* out);

// Writes elements [begin, begin + count). Narrow floats are rounded to nearest
// even and saturate in 8-bit formats; integers keep their low bits; to bool
// everything but 0 is true.
template <typename T>
void StoreElements(const T* in, int64_t begin, int64_t count, Tensor* tensor);

// Calls f.template operator()<T>() with the wide type of `dtype`.
template <typename F>
decltype(auto) VisitCompute(DType dtype, F&& f) {
  switch (ComputeClassOf(dtype)) {
    case ComputeClass::kDouble:
      return f.template operator()<double>();
    case ComputeClass::kSigned:
      return f.template operator()<int64_t>();
    case ComputeClass::kUnsigned:
      return f.template operator()<uint64_t>();
    case ComputeClass::kFloat:
      break;
  }
  return f.template operator()<float>();
}

// As VisitCompute, for ops on floating types only (float and double).
template <typename F>
decltype(auto) VisitFloatCompute(DType dtype, F&& f) {
  if (dtype == DType::kFloat64) return f.template operator()<double>();
  return f.template operator()<float>();
}

struct Storage16 {
  uint64_t words[2];
};

// Calls f with an unsigned type as wide as the stored element (or std::string),
// for ops that only move elements.
template <typename F>
decltype(auto) VisitStorage(DType dtype, F&& f) {
  if (dtype == DType::kString) return f.template operator()<std::string>();
  switch (DTypeSize(dtype)) {
    case 1:
      return f.template operator()<uint8_t>();
    case 2:
      return f.template operator()<uint16_t>();
    case 4:
      return f.template operator()<uint32_t>();
    case 8:
      return f.template operator()<uint64_t>();
    default:
      return f.template operator()<Storage16>();
  }
}

// All elements as numbers.
template <typename T>
std::vector<T> ElementsAs(const Tensor& tensor) {
  std::vector<T> out(static_cast<size_t>(tensor.size()));
  LoadElements<T>(tensor, 0, tensor.size(), out.data());
  return out;
}

// The first element as a number; 0 for an empty tensor.
template <typename T>
T ScalarAs(const Tensor& tensor) {
  T value{};
  if (tensor.size() > 0) LoadElements<T>(tensor, 0, 1, &value);
  return value;
}

// Row-major strides, in elements.
std::vector<int64_t> StridesOf(const Shape& shape);

}  // namespace stint
