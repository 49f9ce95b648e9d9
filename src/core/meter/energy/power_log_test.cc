#include "core/meter/energy/power_log.h"

#include <gtest/gtest.h>

namespace stint {
namespace {

TEST(PowerLog, IntegratesBetweenSamples) {
  const auto log =
      ParsePowerLog("time_s,volts,watts\n100,230,10\n101,230,20\n102,230,20\n");
  ASSERT_TRUE(log.ok()) << log.status().message();
  const auto energy = EnergyBetween(*log, 100.5, 102);
  ASSERT_TRUE(energy.ok());
  // Half a second from 15 to 20 W, then a second at 20 W.
  EXPECT_NEAR(energy->joules, 0.5 * 17.5 + 20, 1e-12);
  EXPECT_EQ(energy->samples, 1);
  EXPECT_GT(energy->joules_error, 0);
}

TEST(PowerLog, TotalsBecomePower) {
  const auto log = ParsePowerLog("time_s,joules\n10,1000\n12,1100\n14,1300\n");
  EXPECT_EQ(log->watts, (std::vector<double>{50, 50, 100}));
}

TEST(PowerLog, ALastLineThatIsBeingWrittenIsLeftOut) {
  const auto log = ParsePowerLog("time_s,watts\n1,2\n2,3\n3,1");
  EXPECT_EQ(log->seconds, (std::vector<double>{1, 2}));
}

TEST(PowerLog, ErrorsNameTheLine) {
  const auto error = [](const char* text) {
    return ParsePowerLog(text).status().message();
  };
  EXPECT_EQ(error("time_s,watts\n1,2\n2,abc\n"),
            "line 3: 'abc', expected a number");
  EXPECT_EQ(error("time_s,watts\n1,2\n1,3\n"), "line 3: time does not grow");
  EXPECT_EQ(error("when,watts\n"),
            "line 1: no columns time_s and watts (or joules), found 'when'...");
  EXPECT_EQ(error("time_s,watts\n1\n"), "line 2: '', expected a number");
  EXPECT_EQ(error(""), "line 1: no header, expected time_s,watts");
}

TEST(PowerLog, DoesNotGuessBeyondItsEnds) {
  const auto log = ParsePowerLog("time_s,watts\n1,2\n2,3\n");
  EXPECT_EQ(EnergyBetween(*log, 0, 2).status().code(), StatusCode::kNotFound);
  EXPECT_EQ(EnergyBetween(*log, 1, 2.5).status().code(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace stint
