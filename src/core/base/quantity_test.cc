#include "core/base/quantity.h"

#include <gtest/gtest.h>

namespace stint {
namespace {

TEST(Quantity, BytesTimesAndEnergies) {
  EXPECT_EQ(ParseBytes("16MB").value(), 16'000'000);
  EXPECT_EQ(ParseBytes("1.5GB").value(), 1'500'000'000);
  EXPECT_EQ(ParseBytes("8MiB").value(), 8 << 20);
  EXPECT_EQ(ParseBytes("512").value(), 512);
  EXPECT_EQ(ParseDurationNs("20ms").value(), 20'000'000);
  EXPECT_EQ(ParseDurationNs("1.5s").value(), 1'500'000'000);
  EXPECT_EQ(ParseDurationNs("10m").value(), 600'000'000'000);
  EXPECT_EQ(ParseJoules("250mJ").value(), 0.25);
}

TEST(Quantity, RefusesWhatItCannotRead) {
  for (const char* bad : {"", "MB", "16 MB", "16mb", "-1MB", "nanMB", "infMB",
                          "1e30GB", "16MBx"}) {
    EXPECT_EQ(ParseBytes(bad).status().code(), StatusCode::kInvalidArgument)
        << bad;
  }
  EXPECT_FALSE(ParseDurationNs("20").ok());
  EXPECT_FALSE(ParseJoules("3W").ok());
}

}  // namespace
}  // namespace stint
