#include "engine/run/memory_plan.h"

#include <gtest/gtest.h>

#include "core/base/random.h"

namespace stint {
namespace {

TEST(MemoryPlan, ReusesBytesAfterLastReader) {
  const MemoryPlan plan = PlanMemory({{100, 0, 1}, {100, 2, 3}});
  EXPECT_EQ(plan.offsets[0], plan.offsets[1]);
  EXPECT_EQ(plan.arena_bytes, 128);
}

TEST(MemoryPlan, KeepsBuffersOfOneStepApart) {
  const MemoryPlan plan = PlanMemory({{64, 0, 1}, {64, 1, 2}});
  EXPECT_NE(plan.offsets[0], plan.offsets[1]);
  EXPECT_EQ(plan.arena_bytes, 128);
}

TEST(MemoryPlan, NeverOverlapsLiveBuffers) {
  Random random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<BufferLife> lives;
    for (int i = 0; i < 30; ++i) {
      const int first = static_cast<int>(random.NextInt(40));
      lives.push_back({random.NextInt(5000), first,
                       first + static_cast<int>(random.NextInt(8))});
    }
    const MemoryPlan plan = PlanMemory(lives);
    for (size_t a = 0; a < lives.size(); ++a) {
      EXPECT_EQ(plan.offsets[a] % 64, 0);
      EXPECT_LE(plan.offsets[a] + lives[a].bytes, plan.arena_bytes);
      for (size_t b = 0; b < a; ++b) {
        const bool together = lives[a].first_step <= lives[b].last_step &&
                              lives[b].first_step <= lives[a].last_step;
        if (!together) continue;
        EXPECT_TRUE(plan.offsets[a] + lives[a].bytes <= plan.offsets[b] ||
                    plan.offsets[b] + lives[b].bytes <= plan.offsets[a]);
      }
    }
  }
}

}  // namespace
}  // namespace stint
