#pragma once
// Conversions between float and the narrow floating formats, by bits, rounding
// to nearest even.

#include <bit>
#include <cstdint>

namespace stint {

inline float BFloat16ToFloat(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

inline uint16_t FloatToBFloat16(float value) {
  uint32_t u = std::bit_cast<uint32_t>(value);
  if ((u & 0x7fffffffu) > 0x7f800000u) {
    return static_cast<uint16_t>((u >> 16) | 0x40u);  // quiet NaN
  }
  u += 0x7fffu + ((u >> 16) & 1u);
  return static_cast<uint16_t>(u >> 16);
}

float Float16ToFloat(uint16_t bits);
uint16_t FloatToFloat16(float value);
// Rounds once from double; going through float would round twice.
uint16_t DoubleToFloat16(double value);

// The 8-bit and 4-bit formats of the ONNX specification. `saturate` clamps
// values out of range to the largest finite one; otherwise they become NaN (or
// infinity in formats that have it).
struct Float8Format {
  int exponent_bits;
  int mantissa_bits;
  int bias;
  bool has_infinity;   // IEEE-like top exponent
  bool unsigned_zero;  // "FNUZ": no -0, NaN is 0x80
};
inline constexpr Float8Format kE4M3FN{4, 3, 7, false, false};
inline constexpr Float8Format kE4M3FNUZ{4, 3, 8, false, true};
inline constexpr Float8Format kE5M2{5, 2, 15, true, false};
inline constexpr Float8Format kE5M2FNUZ{5, 2, 16, false, true};

float Float8ToFloat(uint8_t bits, const Float8Format& format);
uint8_t FloatToFloat8(float value, const Float8Format& format, bool saturate);

float Float4E2M1ToFloat(uint8_t bits);
uint8_t FloatToFloat4E2M1(float value);  // saturates

// E8M0: a power of two, 0xff is NaN.
float Float8E8M0ToFloat(uint8_t bits);
enum class E8M0Rounding { kUp, kDown, kNearest };
uint8_t FloatToFloat8E8M0(float value, bool saturate, E8M0Rounding rounding);

}  // namespace stint
