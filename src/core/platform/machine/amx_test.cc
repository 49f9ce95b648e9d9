#include "core/platform/machine/amx.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <thread>
#include <vector>

#include "core/platform/cpu_info.h"

namespace stint {
namespace {

bool Illegal() {
#if defined(__x86_64__)
  asm volatile("ud2");
#else
  asm volatile("udf #0");
#endif
  return true;
}

int caught = 0;
void Count(int) { ++caught; }

TEST(Amx, IllegalInstructionsReadAsFalse) {
  EXPECT_FALSE(TrueUnlessIllegal(Illegal));
  EXPECT_FALSE(TrueUnlessIllegal(Illegal));
  EXPECT_TRUE(TrueUnlessIllegal([] { return true; }));
  EXPECT_FALSE(TrueUnlessIllegal([] { return false; }));
}

TEST(Amx, GuardWorksWhereTheSignalIsBlockedAndLeavesItSo) {
  sigset_t illegal, before, after;
  sigemptyset(&illegal);
  sigaddset(&illegal, SIGILL);
  pthread_sigmask(SIG_BLOCK, &illegal, &before);
  EXPECT_FALSE(TrueUnlessIllegal(Illegal));
  pthread_sigmask(SIG_SETMASK, &before, &after);
  EXPECT_EQ(sigismember(&after, SIGILL), 1);
}

TEST(Amx, GuardPutsBackTheHandlerThatWasThere) {
  struct sigaction count {
  }, before{}, after{};
  count.sa_handler = Count;
  sigaction(SIGILL, &count, &before);
  EXPECT_FALSE(TrueUnlessIllegal(Illegal));
  sigaction(SIGILL, &before, &after);
  EXPECT_EQ(after.sa_handler, Count);
  EXPECT_EQ(caught, 0);
}

TEST(Amx, ThreadsAgreeWhetherItWorks) {
  std::vector<Isa> found(8);
  std::vector<std::thread> threads;
  for (Isa& isa : found) {
    threads.emplace_back([&isa] { isa = DetectIsa(); });
  }
  for (std::thread& thread : threads) thread.join();
  for (Isa isa : found) {
    EXPECT_EQ(isa, AmxWorks() ? Isa::kAmx : DetectIsa(Isa::kBf16));
  }
}

TEST(Amx, CapIsNeverExceeded) {
  for (Isa cap :
       {Isa::kBaseline, Isa::kAvx2, Isa::kAvx512, Isa::kVnni, Isa::kBf16}) {
    EXPECT_LE(DetectIsa(cap), cap);
  }
}

}  // namespace
}  // namespace stint
