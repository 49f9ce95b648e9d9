#include "lab/tune/share_budget.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "engine/device/conv_costs.h"

namespace stint {
namespace {

TuneProblem Layer(int64_t channels, int64_t size) {
  TuneProblem p;
  p.shape.in_channels = p.shape.out_channels = channels;
  p.shape.in_h = p.shape.in_w = p.shape.out_h = p.shape.out_w = size;
  p.shape.kernel_h = p.shape.kernel_w = 3;
  p.shape.pad_top = p.shape.pad_left = 1;
  p.isa = DetectIsa();
  p.threads = 2;
  return p;
}

// A landscape with one valley: direct with a large tile on two threads.
double FakeUs(const ConvPlan& plan) {
  const ConvSchedule& s = plan.schedule;
  double us = plan.primitive == "direct" ? 60 : 100;
  us -= s.tile_pixels * std::max(1, s.tile_blocks);
  us -= s.row_parts == 2 ? 10 : 0;
  us += 2 * std::abs(s.chunk - 1);
  return std::max(us, 1.0);
}

// Time goes by only when something is timed.
struct FakeWorld {
  double now = 0;
  double seconds_per_plan = 0.01;
  std::vector<std::string> timed;
  std::vector<Trial> recorded;

  class Timer : public PlanTimer {
   public:
    explicit Timer(FakeWorld* world) : world_(world) {}
    Result<std::vector<double>> Time(
        const std::vector<ConvPlan>& plans) override {
      std::vector<double> times;
      for (const ConvPlan& plan : plans) {
        world_->now += world_->seconds_per_plan;
        world_->timed.push_back(ToText(plan));
        times.push_back(FakeUs(plan));
      }
      return times;
    }

   private:
    FakeWorld* world_;
  };

  ShareOptions Options(double deadline, int trials) {
    ShareOptions options;
    options.trials = trials;
    options.deadline = deadline;
    options.now = [this] { return now; };
    options.timer = [this](const TuneProblem&) {
      return Result<std::unique_ptr<PlanTimer>>(std::make_unique<Timer>(this));
    };
    options.record = [this](const std::vector<Trial>& trials_made) {
      recorded.insert(recorded.end(), trials_made.begin(), trials_made.end());
      return OkStatus();
    };
    return options;
  }
};

TuneTask MakeTask(int64_t channels, int64_t size, double share) {
  const TuneProblem p = Layer(channels, size);
  return {LayerSearch(ConvLayerName(p.shape, p.input), p, {"im2col", {}}, 1),
          share};
}

TEST(SearchLayers, EndsWithinAGenerationOfTheDeadline) {
  for (double deadline : {0.0, 0.5, 3.0}) {
    FakeWorld world;
    std::vector<TuneTask> tasks;
    tasks.push_back(MakeTask(64, 16, 1));
    tasks.push_back(MakeTask(128, 8, 3));
    std::vector<Trial> known;
    ASSERT_TRUE(
        SearchLayers(world.Options(deadline, 100000), &known, &tasks).ok());
    EXPECT_LE(world.now, deadline + 10 * world.seconds_per_plan + 1e-9);
    EXPECT_EQ(world.recorded.size(), known.size());
  }
}

TEST(SearchLayers, StopsAtTheTrialsOfEveryLayer) {
  FakeWorld world;
  std::vector<TuneTask> tasks;
  tasks.push_back(MakeTask(64, 16, 1));
  std::vector<Trial> known;
  ASSERT_TRUE(SearchLayers(world.Options(1e9, 40), &known, &tasks).ok());
  EXPECT_GE(tasks[0].search.trials(), 40);
  EXPECT_LT(tasks[0].search.trials(), 40 + 8);
}

TEST(SearchLayers, FindsTheValley) {
  FakeWorld world;
  std::vector<TuneTask> tasks;
  tasks.push_back(MakeTask(64, 16, 1));
  std::vector<Trial> known;
  ASSERT_TRUE(SearchLayers(world.Options(1e9, 600), &known, &tasks).ok());
  const RankedPlan& best = tasks[0].search.ranked().front();
  EXPECT_EQ(best.plan.primitive, "direct");
  EXPECT_EQ(best.plan.schedule.row_parts, 2);
  EXPECT_LT(best.us, 0.5 * FakeUs({"im2col", {}}));
  EXPECT_EQ(tasks[0].search.current_us(), FakeUs({"im2col", {}}));
}

TEST(SearchLayers, SpendsMoreOnLayersThatTakeMore) {
  FakeWorld world;
  std::vector<TuneTask> tasks;
  tasks.push_back(MakeTask(64, 16, 1));
  tasks.push_back(MakeTask(128, 8, 20));
  std::vector<Trial> known;
  ASSERT_TRUE(SearchLayers(world.Options(4.0, 100000), &known, &tasks).ok());
  EXPECT_GT(tasks[0].search.trials(), 0);
  EXPECT_GT(tasks[1].search.trials(), tasks[0].search.trials());
}

TEST(SearchLayers, GoesOnFromWhatIsKnownAndTriesLittleOfItAgain) {
  FakeWorld world;
  std::vector<TuneTask> first;
  first.push_back(MakeTask(64, 16, 1));
  std::vector<Trial> known;
  ASSERT_TRUE(SearchLayers(world.Options(1e9, 100), &known, &first).ok());
  const std::vector<Trial> before = known;
  FakeWorld later;
  std::vector<TuneTask> second;
  second.push_back(MakeTask(64, 16, 1));
  second[0].search.Remember(known);
  ASSERT_TRUE(SearchLayers(later.Options(1e9, 100), &known, &second).ok());
  EXPECT_LE(second[0].search.ranked().front().us,
            first[0].search.ranked().front().us);
  // But the best, whose times may have changed.
  std::set<std::string> tried;
  for (const Trial& trial : before) tried.insert(ToText(trial.plan));
  int again = 0;
  for (const Trial& trial : later.recorded) {
    again += tried.contains(ToText(trial.plan)) ? 1 : 0;
  }
  EXPECT_GT(again, 0);
  EXPECT_LE(again, 16);
}

TEST(SearchLayers, StopsWhenInterruptedAndKeepsWhatItHas) {
  FakeWorld world;
  std::vector<TuneTask> tasks;
  tasks.push_back(MakeTask(64, 16, 1));
  std::vector<Trial> known;
  ShareOptions options = world.Options(1e9, 100000);
  options.interrupted = [&] { return world.now > 0.3; };
  ASSERT_TRUE(SearchLayers(options, &known, &tasks).ok());
  EXPECT_LT(world.now, 0.5);
  EXPECT_FALSE(tasks[0].search.ranked().empty());
}

TEST(NeighborPlans, TakesTheBestOfTheNearestLayers) {
  const TuneProblem p = Layer(64, 16);
  const auto name = [](const TuneProblem& layer) {
    return ConvLayerName(layer.shape, layer.input);
  };
  const std::vector<Trial> known = {
      {name(Layer(512, 4)), {"im2col", {}}, 1},
      {name(Layer(64, 15)), {"direct", {.chunk = 1}}, 7},
      {name(Layer(64, 15)), {"direct", {.chunk = 2}}, 5},
      {name(p), {"spatial", {}}, 1},
      {"no layer", {"spatial", {}}, 1},
  };
  const std::vector<ConvPlan> plans = NeighborPlans(known, name(p), p);
  ASSERT_EQ(plans.size(), 3u);
  EXPECT_EQ(plans[0].schedule.chunk, 2);
  EXPECT_EQ(plans[1].schedule.chunk, 1);
  EXPECT_EQ(plans[2].primitive, "im2col");
}

}  // namespace
}  // namespace stint
