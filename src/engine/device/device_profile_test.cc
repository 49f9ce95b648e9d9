#include "engine/device/device_profile.h"

#include <gtest/gtest.h>

namespace stint {
namespace {

constexpr char kText[] =
    "cpu A processor @ 2 GHz\n"
    "isa avx2\n"
    "cores 4\n"
    "threads 2\n"
    "fp32_gflops 10.5 20\n"
    "int8_gops 40 80\n"
    "bf16_gflops 10 20\n"
    "l2_gbps 100 200\n"
    "l3_gbps 30 60\n"
    "dram_gbps 10 15\n"
    "io_depth 8\n"
    "io_note past the page cache\n"
    "io 4096 50 80 21\n"
    "io 8192 90 90.5 30.5\n"
    "energy_meter E no counters\n";

TEST(DeviceProfile, TextGoesInAndOut) {
  const auto profile = ParseDeviceProfile(kText);
  ASSERT_TRUE(profile.ok()) << profile.status().message();
  EXPECT_EQ(profile->cpu, "A processor @ 2 GHz");
  EXPECT_EQ(profile->threads, 2);
  EXPECT_EQ(profile->fp32_gflops.core, 10.5);
  EXPECT_EQ(profile->dram_gbps.all, 15);
  ASSERT_EQ(profile->io.size(), 2u);
  EXPECT_EQ(profile->io[1].request_bytes, 8192);
  EXPECT_EQ(profile->io[1].latency_us, 90.5);
  EXPECT_EQ(profile->io[1].queued_us, 30.5);
  EXPECT_EQ(profile->io_depth, 8);
  EXPECT_EQ(profile->energy_meter.source, "no counters");
  EXPECT_EQ(ToText(*profile), kText);
}

TEST(DeviceProfile, NamesALineThatIsWrong) {
  const std::string text = kText;
  for (const char* line :
       {"fp32_gflops 1", "fp32_gflops -1 2", "dram_gbps nan 1", "cores 0",
        "io 4096 1 1 1", "io 16384 1 1", "io_depth 0", "unknown 1 2", "isa",
        "energy_meter E"}) {
    const auto profile = ParseDeviceProfile(text + line + "\n");
    ASSERT_FALSE(profile.ok()) << line;
    EXPECT_NE(profile.status().message().find("line 16"), std::string::npos)
        << profile.status().message();
  }
}

TEST(DeviceProfile, RefusesTextWithMissingLines) {
  EXPECT_FALSE(ParseDeviceProfile("").ok());
  EXPECT_FALSE(ParseDeviceProfile("isa avx2\n").ok());
}

}  // namespace
}  // namespace stint
