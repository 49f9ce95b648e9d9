#include "kernels/conv_blocked_f32/reorder.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/base/checked_math.h"
#include "core/platform/thread_pool.h"
#include "kernels/testing/floats.h"

namespace stint {
namespace {

TEST(ReorderF32, PutsChannelsOfAPixelTogether) {
  ThreadPool pool(1);
  const std::vector<float> x = {1, 2, 3, 4, 5, 6};  // 3 channels, 2 pixels
  std::vector<float> y(2 * 2 * 2, 9.0f);
  PlainToBlockedF32({1, 3, 2, 2, x.data(), y.data()}, &pool);
  EXPECT_EQ(y, (std::vector<float>{1, 3, 2, 4, 5, 0, 6, 0}));
}

TEST(ReorderF32, ComesBackUnchanged) {
  for (int64_t channels : {1, 3, 15, 16, 17, 40}) {
    for (int64_t plane : {1, 49, 64, 200}) {
      for (int threads : {1, 3}) {
        ThreadPool pool(threads);
        const std::vector<float> x = RandomFloats(2 * channels * plane, 1);
        std::vector<float> blocked(2 * RoundUp(channels, 16) * plane);
        std::vector<float> back(x.size(), 9.0f);
        PlainToBlockedF32({2, channels, plane, 16, x.data(), blocked.data()},
                          &pool);
        BlockedToPlainF32({2, channels, plane, 16, blocked.data(), back.data()},
                          &pool);
        EXPECT_EQ(back, x);
      }
    }
  }
}

}  // namespace
}  // namespace stint
