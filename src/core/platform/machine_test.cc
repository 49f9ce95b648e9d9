#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "core/platform/clock.h"
#include "core/platform/cpu_info.h"
#include "core/platform/memory/memory.h"

namespace stint {
namespace {

TEST(CpuInfo, NamesAreReadBack) {
  for (Isa isa : {Isa::kBaseline, Isa::kAvx2, Isa::kAvx512, Isa::kVnni,
                  Isa::kBf16, Isa::kAmx}) {
    EXPECT_EQ(ParseIsa(IsaName(isa)), isa);
  }
  EXPECT_EQ(IsaName(Isa::kAvx512), "avx512");
  EXPECT_EQ(ParseIsa("avx1024"), std::nullopt);
}

TEST(CpuInfo, UsesNoMoreCpusThanThereAre) {
  EXPECT_GE(AvailableCpus(), 1);
  EXPECT_LE(AvailableCpus(),
            static_cast<int>(std::thread::hardware_concurrency()));
}

TEST(CpuInfo, DetectionDoesNotChangeItsMind) {
  EXPECT_EQ(DetectIsa(), DetectIsa());
}

TEST(Memory, PeakIsBelowWhatTheMachineHas) {
  EXPECT_GT(PeakResidentBytes(), 100 * 1024);
  EXPECT_LT(PeakResidentBytes(), PhysicalMemoryBytes());
}

TEST(Memory, PeakFollowsWhatIsTouched) {
  const int64_t before = PeakResidentBytes();
  const std::vector<char> touched(64 << 20, 'x');
  EXPECT_GE(PeakResidentBytes() + touched[0] - 'x', before + (32 << 20));
}

TEST(Memory, PretendedMemoryEndsWithZero) {
  const int64_t truth = PhysicalMemoryBytes();
  PretendMemoryForTesting(1000);
  EXPECT_EQ(PhysicalMemoryBytes(), 1000);
  PretendMemoryForTesting(0);
  EXPECT_EQ(PhysicalMemoryBytes(), truth);
}

TEST(Clock, CountsNanoseconds) {
  const int64_t start = NowNs();
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_GE(MsSince(start), 5);
  EXPECT_LT(MsSince(start), 5000);
}

TEST(Clock, AProcessHasLivedAtLeastAsLongAsItHasComputed) {
  const double cpu_ms = ProcessCpuMs();
  EXPECT_GE(MsSinceProcessStart() * AvailableCpus() + 1, cpu_ms);
}

TEST(Clock, KnowsWhenTheProcessStarted) {
  EXPECT_GT(MsSinceProcessStart(), 0);
  EXPECT_LT(MsSinceProcessStart(), 3600e3);
}

}  // namespace
}  // namespace stint
