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

TEST(MemoryPlan, PutsPiecesIntoTheWhole) {
  // Two pieces of a whole that is itself a piece.
  const MemoryPlan plan = PlanMemory({{64, 0, 2, 2, 0},
                                      {128, 1, 2, 2, 64},
                                      {192, 2, 3, 4, 64},
                                      {64, 0, 0},
                                      {256, 3, 4}});
  EXPECT_EQ(plan.offsets[2], plan.offsets[4] + 64);
  EXPECT_EQ(plan.offsets[0], plan.offsets[2]);
  EXPECT_EQ(plan.offsets[1], plan.offsets[2] + 64);
  // The whole lives from its first piece on, beside what dies at step 0.
  EXPECT_EQ(plan.arena_bytes, 320);
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
