#include "kernels/limits/limits.h"

#include <gtest/gtest.h>

#include "core/testing/isa_variants.h"

namespace stint {
namespace {

TEST(LimitLoops, ReadsEveryFloatOnce) {
  alignas(64) float data[1024];
  for (int i = 0; i < 1024; ++i) data[i] = static_cast<float>(i);
  for (const LimitLoops& loops : LimitLoopsTable()) {
    if (!RunsHere(loops)) continue;
    EXPECT_EQ(loops.read(data, 1024), 1023.0f * 512) << loops.name;
  }
}

TEST(LimitLoops, SpinsAreCallableHere) {
  for (const LimitLoops& loops : LimitLoopsTable()) {
    if (!RunsHere(loops)) continue;
    SCOPED_TRACE(loops.name);
    loops.spin_f32(3);
    EXPECT_GT(loops.flops_per_step, 0);
    if (loops.spin_s8 != nullptr) {
      loops.spin_s8(3);
      EXPECT_GT(loops.ops_per_step, 0);
    }
  }
}

}  // namespace
}  // namespace stint
