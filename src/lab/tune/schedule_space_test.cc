#include "lab/tune/schedule_space.h"

#include <gtest/gtest.h>

#include <set>

#include "engine/choose/bound_conv.h"
#include "lab/tune/tile_menu.h"

namespace stint {
namespace {

TuneProblem Layer(int64_t in, int64_t out, int64_t size, int64_t kernel) {
  TuneProblem p;
  p.shape.in_channels = in;
  p.shape.out_channels = out;
  p.shape.in_h = p.shape.in_w = p.shape.out_h = p.shape.out_w = size;
  p.shape.kernel_h = p.shape.kernel_w = kernel;
  p.shape.pad_top = p.shape.pad_left = kernel / 2;
  p.isa = DetectIsa();
  p.threads = 2;
  return p;
}

TEST(TileWidths, CutsRowsIntoEqualTiles) {
  EXPECT_EQ(TileWidths(32, 14), (std::vector<int>{11, 8, 7, 6, 5, 4, 3, 2, 1}));
  EXPECT_EQ(TileWidths(8, 14), (std::vector<int>{8, 4, 3, 2, 1}));
  EXPECT_EQ(TileWidths(1024, 4), (std::vector<int>{4, 3, 2}));
}

TEST(ThreadGrids, HasOneThreadAndEveryFactoring) {
  EXPECT_EQ(ThreadGrids(1), (std::vector<std::pair<int, int>>{{1, 1}}));
  EXPECT_EQ(ThreadGrids(4),
            (std::vector<std::pair<int, int>>{{1, 1}, {1, 4}, {2, 2}, {4, 1}}));
}

TEST(ScheduleSpace, EveryMemberFitsAndCanBeBound) {
  Random random(5);
  for (const TuneProblem& p : {Layer(16, 16, 32, 3), Layer(64, 64, 8, 3),
                               Layer(96, 24, 16, 1), Layer(512, 512, 4, 3)}) {
    const ScheduleSpace space(p);
    std::set<std::string> primitives;
    for (int i = 0; i < 200; ++i) {
      const ConvPlan plan = space.Random(&random);
      EXPECT_TRUE(space.Contains(plan)) << ToText(plan);
      primitives.insert(plan.primitive);
      const ConvChoice choice = ChoiceOf(plan, p.shape, p.input, p.isa);
      ASSERT_NE(choice.kernel, nullptr) << ToText(plan);
      if (i % 20 != 0) continue;
      EXPECT_TRUE(BindConv(choice, p.shape, Activation::Relu(), p.isa).ok())
          << ToText(plan);
    }
    EXPECT_EQ(primitives.size(), space.primitives().size());
  }
}

TEST(ScheduleSpace, MutationsAndCrossingsStayInside) {
  Random random(6);
  const ScheduleSpace space(Layer(64, 64, 16, 3));
  ConvPlan plan = space.Random(&random);
  int changed = 0;
  for (int i = 0; i < 100; ++i) {
    const ConvPlan next = space.Mutate(plan, &random);
    changed += next == plan ? 0 : 1;
    EXPECT_TRUE(space.Contains(next)) << ToText(next);
    if (next.primitive == plan.primitive) {
      EXPECT_TRUE(space.Contains(space.Cross(plan, next, &random)));
    }
    plan = next;
  }
  EXPECT_GT(changed, 80);
}

TEST(ScheduleSpace, StartsHaveEveryPrimitiveByItself) {
  const ScheduleSpace space(Layer(64, 64, 16, 3), /*generated=*/false);
  std::set<std::string> texts;
  for (const ConvPlan& plan : space.Starts()) texts.insert(ToText(plan));
  for (const char* name : {"direct", "winograd2", "winograd4", "im2col"}) {
    EXPECT_TRUE(texts.contains(name)) << name;
  }
  EXPECT_FALSE(texts.contains("generated"));
}

TEST(ScheduleSpace, KnowsSchedulesOfOtherLayersThatDoNotFit) {
  const ScheduleSpace space(Layer(16, 16, 32, 3));
  EXPECT_FALSE(space.Contains({"direct", {.tile_blocks = 4}}));
  EXPECT_FALSE(space.Contains({"depthwise", {}}));
  EXPECT_FALSE(space.Contains({"no such", {}}));
}

}  // namespace
}  // namespace stint
