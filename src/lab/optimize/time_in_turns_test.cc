#include "lab/optimize/time_in_turns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "convert/compress/testing/small_network.h"
#include "weights/package/package.h"

namespace stint {
namespace {

// One convolution of so many channels.
Model Network(int64_t channels) {
  SmallNetwork net(4, 24);
  net.Finish(net.Convolve(net.x, {channels, 4, 3, 3}));
  auto package = std::make_shared<Package>();
  package->graph = net.graph.Clone();
  return Model(std::move(package));
}

// Networks of different sizes, of which it counts those that are open.
class Sessions {
 public:
  Sessions() : runtime_(Runtime::Create({.threads = 1}).value()) {}

  SessionSource Source() {
    return {[this](size_t i) -> Result<Session*> {
              const int64_t channels = i % 2 == 0 ? 8 : 256;
              STINT_ASSIGN_OR_RETURN(
                  Session session,
                  Session::Create(Network(channels), runtime_, {}));
              open_[i] = std::make_unique<Session>(std::move(session));
              most_ = std::max(most_, open_.size());
              return open_[i].get();
            },
            [this](size_t i) { open_.erase(i); }};
  }

  size_t open() const { return open_.size(); }
  size_t most() const { return most_; }

 private:
  Runtime runtime_;
  std::map<size_t, std::unique_ptr<Session>> open_;
  size_t most_ = 0;
};

TEST(TimeInGroups, HasFewSessionsAtATime) {
  for (size_t count : {0, 1, 2, 4, 5, 11}) {
    Sessions sessions;
    const std::vector<Value> row = {Value(RandomTensor({1, 4, 24, 24}, 3))};
    const auto ms =
        TimeInGroups(count, sessions.Source(), row, 0, [](double, double) {});
    ASSERT_TRUE(ms.ok()) << ms.status().message();
    ASSERT_EQ(ms->size(), count);
    EXPECT_EQ(sessions.most(), std::min(count, kTimedTogether));
    EXPECT_EQ(sessions.open(), 0u);
    // 32 times the work is seen across groups.
    for (size_t i = 1; i < count; i += 2) EXPECT_GT((*ms)[i], (*ms)[0]) << i;
    for (size_t i = 2; i < count; i += 2) EXPECT_LT((*ms)[i], (*ms)[1]) << i;
  }
}

}  // namespace
}  // namespace stint
