#include "core/platform/interrupt.h"

#include <gtest/gtest.h>

#include <csignal>

namespace stint {
namespace {

TEST(InterruptGuard, RemembersTheSignal) {
  const InterruptGuard guard;
  EXPECT_FALSE(guard.interrupted());
  std::raise(SIGINT);
  EXPECT_TRUE(guard.interrupted());
}

TEST(InterruptGuard, StartsAnew) {
  {
    const InterruptGuard guard;
    std::raise(SIGTERM);
  }
  const InterruptGuard guard;
  EXPECT_FALSE(guard.interrupted());
}

}  // namespace
}  // namespace stint
