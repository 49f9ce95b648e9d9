#include "core/base/float_bits.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/base/random.h"

namespace stint {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

// What IEEE 754 says of a binary16 code, in double.
double HalfByDefinition(int code) {
  const double sign = (code & 0x8000) ? -1 : 1;
  const int exponent = (code >> 10) & 31;
  const double mantissa = code & 1023;
  if (exponent == 31) return mantissa == 0 ? sign * INFINITY : NAN;
  if (exponent == 0) return sign * mantissa * std::pow(2.0, -24);
  return sign * (1024 + mantissa) * std::pow(2.0, exponent - 25);
}

TEST(Float16, DecodesEveryCodeByDefinition) {
  for (int code = 0; code < 0x10000; ++code) {
    const float value = Float16ToFloat(static_cast<uint16_t>(code));
    const double expected = HalfByDefinition(code);
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(value)) << code;
    } else {
      EXPECT_EQ(value, expected) << code;
      EXPECT_EQ(std::signbit(value), (code & 0x8000) != 0) << code;
    }
  }
}

TEST(Float16, EveryNumberSurvivesTheRoundTrip) {
  for (int code = 0; code < 0x10000; ++code) {
    const uint16_t bits = static_cast<uint16_t>(code);
    if (std::isnan(HalfByDefinition(code))) continue;
    EXPECT_EQ(FloatToFloat16(Float16ToFloat(bits)), bits);
    EXPECT_EQ(DoubleToFloat16(Float16ToFloat(bits)), bits);
  }
}

TEST(Float16, NanStaysNan) {
  EXPECT_TRUE(std::isnan(Float16ToFloat(FloatToFloat16(NAN))));
  EXPECT_TRUE(std::isnan(Float16ToFloat(DoubleToFloat16(NAN))));
}

// Between two neighbors the midpoint goes to the even code, all else to the
// nearer one.
TEST(Float16, RoundsEveryGapToNearestEven) {
  for (int code = 0; code < 0x7c00; ++code) {
    const double low = HalfByDefinition(code);
    // The overflow boundary lies where the next power of two would be.
    const double high = code == 0x7bff ? 65536.0 : HalfByDefinition(code + 1);
    const float middle = static_cast<float>((low + high) / 2);
    const int even = (code & 1) ? code + 1 : code;
    ASSERT_EQ(FloatToFloat16(middle), even) << code;
    ASSERT_EQ(FloatToFloat16(std::nextafter(middle, 0.0f)), code) << code;
    ASSERT_EQ(FloatToFloat16(std::nextafter(middle, kInf)), code + 1) << code;
  }
}

TEST(Float16, DoubleIsRoundedOnce) {
  // Just above the midpoint of 1 and the next half: rounding to float first
  // would land on the midpoint and then go down to even.
  const double value = 1.0 + 0x1.0p-11 + 0x1.0p-40;
  EXPECT_EQ(DoubleToFloat16(value), 0x3c01);
  EXPECT_EQ(DoubleToFloat16(-value), 0xbc01);
  EXPECT_EQ(DoubleToFloat16(1.0 + 0x1.0p-11), 0x3c00);
}

TEST(Float16, DoubleBeyondFloatBecomesInfinity) {
  EXPECT_EQ(DoubleToFloat16(1e300), 0x7c00);
  EXPECT_EQ(DoubleToFloat16(-1e300), 0xfc00);
  EXPECT_EQ(DoubleToFloat16(1e-300), 0x0000);
}

TEST(BFloat16, EveryNumberSurvivesTheRoundTrip) {
  for (int code = 0; code < 0x10000; ++code) {
    const uint16_t bits = static_cast<uint16_t>(code);
    const float value = BFloat16ToFloat(bits);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(BFloat16ToFloat(FloatToBFloat16(value))));
    } else {
      EXPECT_EQ(FloatToBFloat16(value), bits);
    }
  }
}

TEST(BFloat16, RoundsMidpointsToEven) {
  EXPECT_EQ(FloatToBFloat16(1.0f + 0x1.0p-8f), 0x3f80);
  EXPECT_EQ(FloatToBFloat16(1.0f + 3 * 0x1.0p-8f), 0x3f82);
  EXPECT_EQ(FloatToBFloat16(1.0f + 0x1.02p-8f), 0x3f81);
  EXPECT_EQ(FloatToBFloat16(std::numeric_limits<float>::max()), 0x7f80);
}

struct Float8Row {
  uint8_t code;
  float value;
};

// From "FP8 Formats for Deep Learning" (2022), table 1, and the ONNX page on
// float8.
TEST(Float8, E4M3FNMatchesThePublishedTable) {
  for (const Float8Row& row : {Float8Row{0x00, 0.0f},
                               {0x01, 0x1.0p-9f},
                               {0x07, 0x1.cp-7f},
                               {0x08, 0x1.0p-6f},
                               {0x38, 1.0f},
                               {0x7e, 448.0f},
                               {0xfe, -448.0f}}) {
    EXPECT_EQ(Float8ToFloat(row.code, kE4M3FN), row.value);
    EXPECT_EQ(FloatToFloat8(row.value, kE4M3FN, true), row.code);
  }
  EXPECT_TRUE(std::isnan(Float8ToFloat(0x7f, kE4M3FN)));
  EXPECT_TRUE(std::isnan(Float8ToFloat(0xff, kE4M3FN)));
}

TEST(Float8, E5M2MatchesThePublishedTable) {
  for (const Float8Row& row : {Float8Row{0x01, 0x1.0p-16f},
                               {0x03, 0x1.8p-15f},
                               {0x04, 0x1.0p-14f},
                               {0x3c, 1.0f},
                               {0x7b, 57344.0f},
                               {0x7c, kInf},
                               {0xfc, -kInf}}) {
    EXPECT_EQ(Float8ToFloat(row.code, kE5M2), row.value);
    EXPECT_EQ(FloatToFloat8(row.value, kE5M2, false), row.code);
  }
  for (uint8_t code : {0x7d, 0x7e, 0x7f, 0xfd}) {
    EXPECT_TRUE(std::isnan(Float8ToFloat(code, kE5M2)));
  }
}

TEST(Float8, UnsignedZeroFormatsMatchThePublishedTable) {
  EXPECT_EQ(Float8ToFloat(0x7f, kE4M3FNUZ), 240.0f);
  EXPECT_EQ(Float8ToFloat(0x01, kE4M3FNUZ), 0x1.0p-10f);
  EXPECT_EQ(Float8ToFloat(0x7f, kE5M2FNUZ), 57344.0f);
  EXPECT_EQ(Float8ToFloat(0x01, kE5M2FNUZ), 0x1.0p-17f);
  for (const Float8Format& format : {kE4M3FNUZ, kE5M2FNUZ}) {
    EXPECT_TRUE(std::isnan(Float8ToFloat(0x80, format)));
    EXPECT_EQ(FloatToFloat8(-0.0f, format, true), 0x00);
  }
}

TEST(Float8, EveryCodeSurvivesTheRoundTrip) {
  for (const Float8Format& format : {kE4M3FN, kE4M3FNUZ, kE5M2, kE5M2FNUZ}) {
    for (int code = 0; code < 256; ++code) {
      const uint8_t bits = static_cast<uint8_t>(code);
      const float value = Float8ToFloat(bits, format);
      if (std::isnan(value)) continue;
      EXPECT_EQ(FloatToFloat8(value, format, false), bits);
    }
  }
}

TEST(Float8, OutOfRangeSaturatesOrOverflows) {
  EXPECT_EQ(FloatToFloat8(1e9f, kE4M3FN, true), 0x7e);
  EXPECT_EQ(FloatToFloat8(1e9f, kE4M3FN, false), 0x7f);
  EXPECT_EQ(FloatToFloat8(-1e9f, kE5M2, true), 0xfb);
  EXPECT_EQ(FloatToFloat8(-1e9f, kE5M2, false), 0xfc);
  EXPECT_EQ(FloatToFloat8(1e9f, kE4M3FNUZ, false), 0x80);
}

// The nearest code by exhaustive search, ties to the even code.
TEST(Float8, RoundsRandomNumbersToTheNearestCode) {
  Random random(11);
  for (const Float8Format& format : {kE4M3FN, kE4M3FNUZ, kE5M2, kE5M2FNUZ}) {
    for (int round = 0; round < 2000; ++round) {
      const float x = static_cast<float>(
          random.NextNormal() * std::pow(2.0, random.NextInt(20) - 12));
      double best = INFINITY;
      int best_code = 0;
      for (int code = 0; code < 256; ++code) {
        const float v = Float8ToFloat(static_cast<uint8_t>(code), format);
        if (!std::isfinite(v) || std::signbit(v) != std::signbit(x)) continue;
        const double distance = std::fabs(static_cast<double>(v) - x);
        if (distance < best || (distance == best && code % 2 == 0)) {
          best = distance;
          best_code = code;
        }
      }
      // -0 is not a code of the unsigned-zero formats.
      const uint8_t found = FloatToFloat8(x, format, true);
      if (found == 0 && std::signbit(x)) continue;
      EXPECT_EQ(found, best_code) << x;
    }
  }
}

TEST(Float4, RoundsMidpointsToEvenAndSaturates) {
  constexpr float kValues[] = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6};
  for (uint8_t code = 0; code < 8; ++code) {
    EXPECT_EQ(Float4E2M1ToFloat(code), kValues[code]);
    EXPECT_EQ(Float4E2M1ToFloat(code | 8), -kValues[code]);
    EXPECT_EQ(FloatToFloat4E2M1(kValues[code]), code);
  }
  EXPECT_EQ(FloatToFloat4E2M1(0.25f), 0);
  EXPECT_EQ(FloatToFloat4E2M1(0.75f), 2);
  EXPECT_EQ(FloatToFloat4E2M1(5.0f), 6);
  EXPECT_EQ(FloatToFloat4E2M1(-100.0f), 15);
}

TEST(Float8E8M0, IsAPowerOfTwo) {
  for (int code = 0; code < 255; ++code) {
    EXPECT_EQ(Float8E8M0ToFloat(static_cast<uint8_t>(code)),
              std::pow(2.0, code - 127));
  }
  EXPECT_TRUE(std::isnan(Float8E8M0ToFloat(0xff)));
}

TEST(Float8E8M0, RoundsAsAsked) {
  EXPECT_EQ(FloatToFloat8E8M0(1.1f, true, E8M0Rounding::kUp), 128);
  EXPECT_EQ(FloatToFloat8E8M0(1.9f, true, E8M0Rounding::kDown), 127);
  EXPECT_EQ(FloatToFloat8E8M0(1.4f, true, E8M0Rounding::kNearest), 127);
  EXPECT_EQ(FloatToFloat8E8M0(1.6f, true, E8M0Rounding::kNearest), 128);
  EXPECT_EQ(FloatToFloat8E8M0(kInf, true, E8M0Rounding::kUp), 254);
  EXPECT_EQ(FloatToFloat8E8M0(kInf, false, E8M0Rounding::kUp), 255);
}

}  // namespace
}  // namespace stint
