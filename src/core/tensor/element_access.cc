#include "core/tensor/element_access.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "core/base/check.h"
#include "core/base/float_bits.h"

namespace stint {
namespace {

// Integers reach unsigned and signed wide types by plain conversion; a float
// out of an integer's range gives the nearest bound, so nothing is undefined.
template <typename To, typename From>
To Convert(From value) {
  if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>) {
    if (std::isnan(value)) return 0;
    if constexpr (std::is_unsigned_v<To>) {
      if (value < 0) return static_cast<To>(Convert<int64_t>(value));
    }
    if (value >= static_cast<From>(std::numeric_limits<To>::max())) {
      return std::numeric_limits<To>::max();
    }
    if (value <= static_cast<From>(std::numeric_limits<To>::min())) {
      return std::numeric_limits<To>::min();
    }
    return static_cast<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

template <typename From, typename T>
void LoadPlain(const void* data, int64_t begin, int64_t count, T* out) {
  const From* in = static_cast<const From*>(data) + begin;
  if constexpr (std::is_same_v<From, T>) {
    if (count > 0) std::memcpy(out, in, count * sizeof(T));
  } else {
    for (int64_t i = 0; i < count; ++i) out[i] = Convert<T>(in[i]);
  }
}

template <typename Code, typename T, typename Decode>
void LoadCoded(const void* data, int64_t begin, int64_t count, T* out,
               Decode decode) {
  const Code* in = static_cast<const Code*>(data) + begin;
  for (int64_t i = 0; i < count; ++i) out[i] = Convert<T>(decode(in[i]));
}

template <typename To, typename T>
void StorePlain(const T* in, int64_t begin, int64_t count, void* data) {
  To* out = static_cast<To*>(data) + begin;
  if constexpr (std::is_same_v<To, T>) {
    if (count > 0) std::memcpy(out, in, count * sizeof(T));
  } else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<T>) {
    for (int64_t i = 0; i < count; ++i) {
      out[i] = static_cast<To>(Convert<int64_t>(in[i]));
    }
  } else {
    for (int64_t i = 0; i < count; ++i) out[i] = static_cast<To>(in[i]);
  }
}

template <typename Code, typename T, typename Encode>
void StoreCoded(const T* in, int64_t begin, int64_t count, void* data,
                Encode encode) {
  Code* out = static_cast<Code*>(data) + begin;
  for (int64_t i = 0; i < count; ++i) out[i] = encode(in[i]);
}

// Low `bits` bits of an integer, sign-extended when `is_signed`.
template <typename T>
int8_t NarrowInt(T value, int bits, bool is_signed) {
  const int mask = (1 << bits) - 1;
  const int low = static_cast<int>(Convert<int64_t>(value)) & mask;
  const bool negative = is_signed && (low >> (bits - 1)) != 0;
  return static_cast<int8_t>(negative ? low - (1 << bits) : low);
}

template <typename T>
uint16_t ToFloat16(T value) {
  if constexpr (std::is_same_v<T, double>) return DoubleToFloat16(value);
  return FloatToFloat16(static_cast<float>(value));
}

}  // namespace

const Float8Format* Float8FormatOf(DType dtype) {
  switch (dtype) {
    case DType::kFloat8E4M3FN:
      return &kE4M3FN;
    case DType::kFloat8E4M3FNUZ:
      return &kE4M3FNUZ;
    case DType::kFloat8E5M2:
      return &kE5M2;
    case DType::kFloat8E5M2FNUZ:
      return &kE5M2FNUZ;
    default:
      return nullptr;
  }
}

ComputeClass ComputeClassOf(DType dtype) {
  if (dtype == DType::kFloat64) return ComputeClass::kDouble;
  if (IsFloat(dtype)) return ComputeClass::kFloat;
  switch (dtype) {
    case DType::kInt8:
    case DType::kInt16:
    case DType::kInt32:
    case DType::kInt64:
    case DType::kInt4:
    case DType::kInt2:
      return ComputeClass::kSigned;
    default:
      return ComputeClass::kUnsigned;
  }
}

template <typename T>
void LoadElements(const Tensor& tensor, int64_t begin, int64_t count, T* out) {
  const void* data = tensor.raw();
  switch (tensor.dtype()) {
    case DType::kFloat32:
      return LoadPlain<float>(data, begin, count, out);
    case DType::kFloat64:
      return LoadPlain<double>(data, begin, count, out);
    case DType::kFloat16:
      return LoadCoded<uint16_t>(data, begin, count, out, Float16ToFloat);
    case DType::kBFloat16:
      return LoadCoded<uint16_t>(data, begin, count, out, BFloat16ToFloat);
    case DType::kInt8:
    case DType::kInt4:
    case DType::kInt2:
      return LoadPlain<int8_t>(data, begin, count, out);
    case DType::kInt16:
      return LoadPlain<int16_t>(data, begin, count, out);
    case DType::kInt32:
      return LoadPlain<int32_t>(data, begin, count, out);
    case DType::kInt64:
      return LoadPlain<int64_t>(data, begin, count, out);
    case DType::kUInt8:
    case DType::kUInt4:
    case DType::kUInt2:
    case DType::kBool:
      return LoadPlain<uint8_t>(data, begin, count, out);
    case DType::kUInt16:
      return LoadPlain<uint16_t>(data, begin, count, out);
    case DType::kUInt32:
      return LoadPlain<uint32_t>(data, begin, count, out);
    case DType::kUInt64:
      return LoadPlain<uint64_t>(data, begin, count, out);
    case DType::kFloat8E4M3FN:
    case DType::kFloat8E4M3FNUZ:
    case DType::kFloat8E5M2:
    case DType::kFloat8E5M2FNUZ: {
      const Float8Format& format = *Float8FormatOf(tensor.dtype());
      return LoadCoded<uint8_t>(data, begin, count, out, [&](uint8_t bits) {
        return Float8ToFloat(bits, format);
      });
    }
    case DType::kFloat8E8M0:
      return LoadCoded<uint8_t>(data, begin, count, out, Float8E8M0ToFloat);
    case DType::kFloat4E2M1:
      return LoadCoded<uint8_t>(data, begin, count, out, Float4E2M1ToFloat);
    case DType::kString:
    case DType::kComplex64:
    case DType::kComplex128:
      break;
  }
  STINT_CHECK(false);
}

template <typename T>
void StoreElements(const T* in, int64_t begin, int64_t count, Tensor* tensor) {
  void* data = tensor->raw();
  const DType dtype = tensor->dtype();
  switch (dtype) {
    case DType::kFloat32:
      return StorePlain<float>(in, begin, count, data);
    case DType::kFloat64:
      return StorePlain<double>(in, begin, count, data);
    case DType::kFloat16:
      return StoreCoded<uint16_t>(in, begin, count, data,
                                  [](T x) { return ToFloat16(x); });
    case DType::kBFloat16:
      return StoreCoded<uint16_t>(in, begin, count, data, [](T x) {
        return FloatToBFloat16(static_cast<float>(x));
      });
    case DType::kInt8:
      return StorePlain<int8_t>(in, begin, count, data);
    case DType::kInt16:
      return StorePlain<int16_t>(in, begin, count, data);
    case DType::kInt32:
      return StorePlain<int32_t>(in, begin, count, data);
    case DType::kInt64:
      return StorePlain<int64_t>(in, begin, count, data);
    case DType::kUInt8:
      return StorePlain<uint8_t>(in, begin, count, data);
    case DType::kUInt16:
      return StorePlain<uint16_t>(in, begin, count, data);
    case DType::kUInt32:
      return StorePlain<uint32_t>(in, begin, count, data);
    case DType::kUInt64:
      return StoreCoded<uint64_t>(in, begin, count, data,
                                  [](T x) { return Convert<uint64_t>(x); });
    case DType::kBool:
      return StoreCoded<uint8_t>(in, begin, count, data, [](T x) {
        return static_cast<uint8_t>(x != T{});
      });
    case DType::kInt4:
    case DType::kInt2:
    case DType::kUInt4:
    case DType::kUInt2: {
      const bool is_signed = dtype == DType::kInt4 || dtype == DType::kInt2;
      const int bits = dtype == DType::kInt4 || dtype == DType::kUInt4 ? 4 : 2;
      return StoreCoded<int8_t>(in, begin, count, data, [&](T x) {
        return NarrowInt(x, bits, is_signed);
      });
    }
    case DType::kFloat8E4M3FN:
    case DType::kFloat8E4M3FNUZ:
    case DType::kFloat8E5M2:
    case DType::kFloat8E5M2FNUZ: {
      const Float8Format& format = *Float8FormatOf(dtype);
      return StoreCoded<uint8_t>(in, begin, count, data, [&](T x) {
        return FloatToFloat8(static_cast<float>(x), format, true);
      });
    }
    case DType::kFloat8E8M0:
      return StoreCoded<uint8_t>(in, begin, count, data, [](T x) {
        return FloatToFloat8E8M0(static_cast<float>(x), true,
                                 E8M0Rounding::kUp);
      });
    case DType::kFloat4E2M1:
      return StoreCoded<uint8_t>(in, begin, count, data, [](T x) {
        return FloatToFloat4E2M1(static_cast<float>(x));
      });
    case DType::kString:
    case DType::kComplex64:
    case DType::kComplex128:
      break;
  }
  STINT_CHECK(false);
}

template void LoadElements(const Tensor&, int64_t, int64_t, float*);
template void LoadElements(const Tensor&, int64_t, int64_t, double*);
template void LoadElements(const Tensor&, int64_t, int64_t, int64_t*);
template void LoadElements(const Tensor&, int64_t, int64_t, uint64_t*);
template void StoreElements(const float*, int64_t, int64_t, Tensor*);
template void StoreElements(const double*, int64_t, int64_t, Tensor*);
template void StoreElements(const int64_t*, int64_t, int64_t, Tensor*);
template void StoreElements(const uint64_t*, int64_t, int64_t, Tensor*);

std::vector<int64_t> StridesOf(const Shape& shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) {
    strides[i - 1] = strides[i] * shape[i];
  }
  return strides;
}

}  // namespace stint
