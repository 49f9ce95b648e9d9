#include "core/base/float_bits.h"

#include <cmath>
#include <limits>

namespace stint {

float Float16ToFloat(uint16_t h) {
  const uint32_t sign = static_cast<uint32_t>(h & 0x8000u) << 16;
  const uint32_t exponent = (h >> 10) & 0x1fu;
  const uint32_t mantissa = h & 0x3ffu;
  if (exponent == 0x1f) {
    return std::bit_cast<float>(sign | 0x7f800000u | (mantissa << 13));
  }
  if (exponent == 0) {
    const float magnitude = static_cast<float>(mantissa) * 0x1.0p-24f;
    return sign ? -magnitude : magnitude;
  }
  return std::bit_cast<float>(sign | ((exponent + 112) << 23) |
                              (mantissa << 13));
}

uint16_t FloatToFloat16(float value) {
  const uint32_t u = std::bit_cast<uint32_t>(value);
  const uint16_t sign = static_cast<uint16_t>((u >> 16) & 0x8000u);
  const uint32_t magnitude = u & 0x7fffffffu;
  if (magnitude >= 0x7f800000u) {  // infinity or NaN
    return static_cast<uint16_t>(sign | 0x7c00u |
                                 (magnitude > 0x7f800000u ? 0x200u : 0u));
  }
  if (magnitude >= 0x477ff000u) return static_cast<uint16_t>(sign | 0x7c00u);
  if (magnitude < 0x38800000u) {  // subnormal or zero
    const float scaled = std::bit_cast<float>(magnitude) * 0x1.0p24f;
    return static_cast<uint16_t>(sign |
                                 static_cast<uint16_t>(std::nearbyint(scaled)));
  }
  const uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);
  return static_cast<uint16_t>(sign | ((rounded - 0x38000000u) >> 13));
}

uint16_t DoubleToFloat16(double value) {
  float narrowed = static_cast<float>(value);
  // Round to odd, so that the second rounding sees the discarded part.
  if (std::isfinite(narrowed) && static_cast<double>(narrowed) != value) {
    uint32_t bits = std::bit_cast<uint32_t>(narrowed);
    if ((bits & 1u) == 0) {
      const bool away =
          std::fabs(static_cast<double>(narrowed)) < std::fabs(value);
      bits = away ? bits + 1 : bits - 1;
    }
    narrowed = std::bit_cast<float>(bits);
  }
  return FloatToFloat16(narrowed);
}

namespace {

// Largest finite code of a format, without the sign.
uint8_t MaxFiniteCode(const Float8Format& f) {
  if (f.has_infinity) {
    return static_cast<uint8_t>(((1 << f.exponent_bits) - 1)
                                << f.mantissa_bits) -
           1;
  }
  return f.unsigned_zero ? 0x7f : 0x7e;
}

}  // namespace

float Float8ToFloat(uint8_t bits, const Float8Format& f) {
  const float sign = (bits & 0x80) ? -1.0f : 1.0f;
  const int code = bits & 0x7f;
  if (f.unsigned_zero && bits == 0x80) {
    return std::numeric_limits<float>::quiet_NaN();
  }
  if (code > MaxFiniteCode(f)) {
    const bool infinite = f.has_infinity && code == MaxFiniteCode(f) + 1;
    return infinite
               ? sign * std::numeric_limits<float>::infinity()
               : std::copysign(std::numeric_limits<float>::quiet_NaN(), sign);
  }
  const int exponent = code >> f.mantissa_bits;
  const int mantissa = code & ((1 << f.mantissa_bits) - 1);
  if (exponent == 0) {
    return sign * std::ldexp(static_cast<float>(mantissa),
                             1 - f.bias - f.mantissa_bits);
  }
  return sign *
         std::ldexp(static_cast<float>(mantissa + (1 << f.mantissa_bits)),
                    exponent - f.bias - f.mantissa_bits);
}

uint8_t FloatToFloat8(float value, const Float8Format& f, bool saturate) {
  const uint8_t sign = std::signbit(value) ? uint8_t{0x80} : uint8_t{0};
  const uint8_t nan =
      f.unsigned_zero ? uint8_t{0x80} : static_cast<uint8_t>(sign | 0x7f);
  if (std::isnan(value)) return nan;
  const float magnitude = std::fabs(value);
  const uint8_t max_code = MaxFiniteCode(f);
  const float max_value = Float8ToFloat(max_code, f);
  const uint8_t overflow = saturate ? static_cast<uint8_t>(sign | max_code)
                           : f.has_infinity
                               ? static_cast<uint8_t>(sign | (max_code + 1))
                               : nan;
  if (std::isinf(value)) return overflow;
  // The grid of representable values is uniform inside a binade.
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  const int quantum =
      (exponent - 1 < 1 - f.bias ? 1 - f.bias : exponent - 1) - f.mantissa_bits;
  const float rounded =
      std::ldexp(std::nearbyint(std::ldexp(magnitude, -quantum)), quantum);
  if (rounded > max_value) return overflow;
  if (rounded == 0) return f.unsigned_zero ? uint8_t{0} : sign;
  std::frexp(rounded, &exponent);
  const int biased = exponent - 1 + f.bias;
  const int code =
      biased <= 0
          ? static_cast<int>(std::ldexp(rounded, f.bias - 1 + f.mantissa_bits))
          : (biased << f.mantissa_bits) +
                static_cast<int>(
                    std::ldexp(rounded, f.mantissa_bits - exponent + 1)) -
                (1 << f.mantissa_bits);
  return static_cast<uint8_t>(sign | code);
}

float Float4E2M1ToFloat(uint8_t bits) {
  static constexpr float kValues[8] = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6};
  const float magnitude = kValues[bits & 7];
  return (bits & 8) ? -magnitude : magnitude;
}

uint8_t FloatToFloat4E2M1(float value) {
  const uint8_t sign = std::signbit(value) ? uint8_t{8} : uint8_t{0};
  // There is no NaN; the ONNX reference gives negative zero.
  if (std::isnan(value)) return 8;
  const float m = std::fabs(value);
  // Midpoints go to the even code.
  static constexpr float kUpper[7] = {0.25f, 0.75f, 1.25f, 1.75f,
                                      2.5f,  3.5f,  5.0f};
  uint8_t code = 0;
  while (code < 7 && (m > kUpper[code] || (m == kUpper[code] && (code & 1)))) {
    ++code;
  }
  return sign | code;
}

float Float8E8M0ToFloat(uint8_t bits) {
  if (bits == 0xff) return std::numeric_limits<float>::quiet_NaN();
  return std::ldexp(1.0f, static_cast<int>(bits) - 127);
}

uint8_t FloatToFloat8E8M0(float value, bool saturate, E8M0Rounding rounding) {
  const uint32_t u = std::bit_cast<uint32_t>(value);
  if (std::isnan(value)) return 0xff;
  if (std::isinf(value)) return saturate ? uint8_t{0xfe} : uint8_t{0xff};
  uint32_t exponent = (u >> 23) & 0xffu;
  const uint32_t mantissa = u & 0x7fffffu;
  bool increment = false;
  switch (rounding) {
    case E8M0Rounding::kUp:
      increment = mantissa > 0 && (exponent > 0 || mantissa > 0x400000u);
      break;
    case E8M0Rounding::kDown:
      break;
    case E8M0Rounding::kNearest:
      increment = mantissa >= 0x400000u;
      break;
  }
  if (increment && (exponent < 0xfe || !saturate)) ++exponent;
  return static_cast<uint8_t>(exponent);
}

}  // namespace stint
