#include "engine/choose/conv_choice.h"

#include <gtest/gtest.h>

#include "engine/choose/bound_conv.h"
#include "engine/device/conv_costs.h"
#include "engine/device/conv_schedules.h"

namespace stint {
namespace {

constexpr ImageLayout kBlocked = ImageLayout::kBlocked;

// A layer for which there are several primitives.
ConvF32Shape Layer3x3() {
  ConvF32Shape s;
  s.in_channels = s.out_channels = 64;
  s.in_h = s.in_w = s.out_h = s.out_w = 28;
  s.kernel_h = s.kernel_w = 3;
  s.pad_top = s.pad_left = 1;
  return s;
}

KernelSite SiteWith(std::vector<PrimitiveCost> costs) {
  auto table = std::make_shared<ConvCosts>();
  table->Set(ConvLayerName(Layer3x3(), kBlocked), std::move(costs));
  KernelSite site{DetectIsa(), 1};
  site.conv_costs = table;
  return site;
}

TEST(ChooseConv, TakesTheDefaultForALayerThatWasNotMeasured) {
  const KernelSite site = SiteWith({{"direct", 1}});
  ConvF32Shape other = Layer3x3();
  other.in_h = other.out_h = 27;
  const ConvChoice choice = ChooseConv(other, kBlocked, site);
  EXPECT_EQ(choice.reason, ConvReason::kDefault);
  EXPECT_EQ(choice.kernel, PickConvBlockedF32(other, kBlocked, site.isa));
}

TEST(ChooseConv, TakesTheFastestMeasured) {
  for (const char* fastest : {"direct", "winograd2", "winograd4"}) {
    std::vector<PrimitiveCost> costs = {
        {"direct", 100}, {"winograd2", 100}, {"winograd4", 100}};
    for (PrimitiveCost& cost : costs) {
      if (cost.primitive == fastest) cost.us = 50;
    }
    const ConvChoice choice = ChooseConv(Layer3x3(), kBlocked, SiteWith(costs));
    EXPECT_EQ(choice.reason, ConvReason::kMeasured);
    EXPECT_STREQ(choice.kernel->primitive, fastest);
  }
}

TEST(ChooseConv, PrefersSmallWeightsAmongEquals) {
  const ConvChoice choice = ChooseConv(
      Layer3x3(), kBlocked,
      SiteWith({{"winograd4", 100}, {"winograd2", 101}, {"direct", 102}}));
  EXPECT_STREQ(choice.kernel->primitive, "direct");
}

TEST(ChooseConv, PassesOverMeasuredNamesThatDoNotExist) {
  const ConvChoice choice =
      ChooseConv(Layer3x3(), kBlocked,
                 SiteWith({{"no-such-primitive", 1}, {"winograd2", 5}}));
  EXPECT_STREQ(choice.kernel->primitive, "winograd2");
}

TEST(ChooseConv, AForcedPrimitiveWinsWhereItFits) {
  KernelSite site = SiteWith({{"winograd4", 1}, {"direct", 100}});
  site.primitive = "direct";
  ConvChoice choice = ChooseConv(Layer3x3(), kBlocked, site);
  EXPECT_EQ(choice.reason, ConvReason::kForced);
  EXPECT_STREQ(choice.kernel->primitive, "direct");
  site.primitive = "depthwise";
  choice = ChooseConv(Layer3x3(), kBlocked, site);
  EXPECT_EQ(choice.reason, ConvReason::kMeasured);
  EXPECT_STREQ(choice.kernel->primitive, "winograd4");
}

// The measured winner is Winograd, whose weights are 0.44 MB larger.
KernelSite SiteAllowing(int64_t bytes) {
  KernelSite site = SiteWith({{"winograd4", 50}, {"direct", 100}});
  site.allowance = std::make_shared<WeightAllowance>();
  site.allowance->bytes = bytes;
  return site;
}

TEST(ChooseConv, TakesLargeWeightsWithinTheAllowance) {
  const ConvChoice choice =
      ChooseConv(Layer3x3(), kBlocked, SiteAllowing(500'000));
  EXPECT_STREQ(choice.kernel->primitive, "winograd4");
  EXPECT_EQ(choice.too_large, nullptr);
}

TEST(ChooseConv, TakesTheFastestOfSmallerWeightsBeyondTheAllowance) {
  const KernelSite site = SiteAllowing(400'000);
  const ConvChoice choice = ChooseConv(Layer3x3(), kBlocked, site);
  EXPECT_STREQ(choice.kernel->primitive, "direct");
  ASSERT_NE(choice.too_large, nullptr);
  EXPECT_STREQ(choice.too_large->primitive, "winograd4");
  EXPECT_EQ(ExplainConv(choice, Layer3x3(), site).detail,
            "winograd4 50 us, direct 100 us; winograd4 is over the memory "
            "budget");
}

TEST(ChooseConv, AForcedPrimitiveNeedsNoAllowance) {
  KernelSite site = SiteAllowing(0);
  site.primitive = "winograd4";
  EXPECT_STREQ(ChooseConv(Layer3x3(), kBlocked, site).kernel->primitive,
               "winograd4");
}

TEST(ChooseConv, TheDefaultOfALayerThatWasNotMeasuredIsWithinTheAllowance) {
  KernelSite site = SiteAllowing(0);
  site.conv_costs = nullptr;
  ConvF32Shape shape = Layer3x3();
  shape.in_h = shape.in_w = shape.out_h = shape.out_w = 56;
  const ConvChoice choice = ChooseConv(shape, kBlocked, site);
  ASSERT_NE(choice.kernel, nullptr);
  EXPECT_EQ(WeightGrowth(*choice.kernel, shape, site), 0);
}

// Winograd was measured best, and a schedule tuned after that.
KernelSite SiteTunedTo(const ConvPlan& plan) {
  KernelSite site = SiteWith({{"winograd4", 50}, {"direct", 100}});
  auto schedules = std::make_shared<ConvSchedules>();
  schedules->Set(ConvLayerName(Layer3x3(), kBlocked), {plan, 40, 50});
  site.schedules = schedules;
  return site;
}

TEST(ChooseConv, TakesATunedScheduleBeforeAMeasuredPrimitive) {
  const ConvPlan plan{"im2col", {.tile_blocks = 1, .tile_pixels = 7}};
  const KernelSite site = SiteTunedTo(plan);
  const ConvChoice choice = ChooseConv(Layer3x3(), kBlocked, site);
  EXPECT_EQ(choice.reason, ConvReason::kTuned);
  EXPECT_EQ(PlanOf(choice), plan);
  const KernelChoice explained = ExplainConv(choice, Layer3x3(), site);
  EXPECT_EQ(explained.reason, "tuned");
  EXPECT_EQ(explained.detail, "im2col:t7x1, 40.0 us instead of 50.0 us");
  ConvF32Shape other = Layer3x3();
  other.in_h = other.out_h = 27;
  EXPECT_EQ(ChooseConv(other, kBlocked, site).reason, ConvReason::kDefault);
}

TEST(ChooseConv, IgnoresTunedSchedulesWhenAsked) {
  KernelSite site = SiteTunedTo({"im2col", {}});
  site.schedule_mode = ScheduleMode::kDefault;
  EXPECT_STREQ(ChooseConv(Layer3x3(), kBlocked, site).kernel->primitive,
               "winograd4");
  site.schedule_mode = ScheduleMode::kUntuned;
  const ConvChoice fixed = ChooseConv(Layer3x3(), kBlocked, site);
  EXPECT_STREQ(fixed.kernel->primitive, "direct");
  EXPECT_EQ(fixed.schedule, kUntunedSchedule);
  EXPECT_EQ(fixed.reason, ConvReason::kUntuned);
}

TEST(ChooseConv, AForcedPrimitiveRunsByItsOwnTunedSchedule) {
  const ConvPlan plan{"im2col", {.tile_blocks = 1, .tile_pixels = 7}};
  KernelSite site = SiteTunedTo(plan);
  site.primitive = "im2col";
  ConvChoice choice = ChooseConv(Layer3x3(), kBlocked, site);
  EXPECT_EQ(choice.reason, ConvReason::kForced);
  EXPECT_EQ(choice.schedule, plan.schedule);
  site.primitive = "spatial";
  choice = ChooseConv(Layer3x3(), kBlocked, site);
  EXPECT_STREQ(choice.kernel->primitive, "spatial");
  EXPECT_EQ(choice.schedule, ConvSchedule());
  site.schedule_mode = ScheduleMode::kUntuned;
  EXPECT_EQ(ChooseConv(Layer3x3(), kBlocked, site).schedule, kUntunedSchedule);
}

TEST(ChooseConv, UntunedIsDirectInEveryFormOfLayer) {
  KernelSite site{DetectIsa(), 1};
  site.schedule_mode = ScheduleMode::kUntuned;
  ConvF32Shape s = Layer3x3();
  s.groups = s.in_channels;
  EXPECT_STREQ(ChooseConv(s, kBlocked, site).kernel->primitive, "depthwise");
  s = Layer3x3();
  s.kernel_h = s.kernel_w = 1;
  s.pad_top = s.pad_left = 0;
  EXPECT_STREQ(ChooseConv(s, kBlocked, site).kernel->primitive, "pointwise");
  s = Layer3x3();
  s.in_channels = 3;
  EXPECT_STREQ(ChooseConv(s, ImageLayout::kPlain, site).kernel->primitive,
               "first");
}

TEST(ChooseConv, PassesOverATunedScheduleThatDoesNotFit) {
  for (const char* primitive : {"depthwise", "no-such-primitive"}) {
    const ConvChoice choice =
        ChooseConv(Layer3x3(), kBlocked, SiteTunedTo({primitive, {}}));
    EXPECT_EQ(choice.reason, ConvReason::kMeasured);
  }
  KernelSite small = SiteTunedTo({"winograd2", {}});
  small.allowance = std::make_shared<WeightAllowance>();
  const ConvChoice choice = ChooseConv(Layer3x3(), kBlocked, small);
  EXPECT_STREQ(choice.kernel->primitive, "direct");
  ASSERT_NE(choice.too_large, nullptr);
  EXPECT_STREQ(choice.too_large->primitive, "winograd2");
}

TEST(BindConv, GeneratesCodeOnlyWhereItCanRun) {
  if (!GeneratedConv::Supports(Layer3x3(), DetectIsa())) {
    GTEST_SKIP() << "no code is generated here";
  }
  KernelSite site{DetectIsa(), 1};
  site.primitive = std::string(kGeneratedPrimitive);
  const ConvChoice choice = ChooseConv(Layer3x3(), kBlocked, site);
  ASSERT_TRUE(choice.generated);
  EXPECT_EQ(ExplainConv(choice, Layer3x3(), site).kernel.find("generated_"),
            0u);
  const auto bound = BindConv(choice, Layer3x3(), Activation::Relu(), site.isa);
  ASSERT_TRUE(bound.ok());
  EXPECT_NE(bound->code, nullptr);
  EXPECT_EQ(bound->ScratchBytes(Layer3x3(), 2), 0);
  EXPECT_EQ(BindConv(choice, Layer3x3(), Activation::Of(Curve::kSilu), site.isa)
                .status()
                .code(),
            StatusCode::kUnsupported);
}

TEST(ExplainConv, NamesTimesAndTheMemoryOfWinograd) {
  const KernelSite site = SiteWith({{"winograd4", 50}, {"direct", 100}});
  const KernelChoice choice =
      ExplainConv(ChooseConv(Layer3x3(), kBlocked, site), Layer3x3(), site);
  EXPECT_EQ(choice.reason, "measured");
  EXPECT_EQ(choice.kernel.find("winograd4_"), 0u);
  EXPECT_EQ(choice.detail,
            "winograd4 50 us, direct 100 us; weights 0.59 MB instead of "
            "0.15 MB");
}

TEST(ExplainConv, HasTheScheduleOfAForcedPrimitive) {
  KernelSite site{DetectIsa(), 1};
  site.primitive = "im2col";
  const auto explain = [&] {
    return ExplainConv(ChooseConv(Layer3x3(), kBlocked, site), Layer3x3(),
                       site);
  };
  site.schedule_mode = ScheduleMode::kDefault;
  EXPECT_EQ(explain().schedule, "im2col");
  site.schedule_mode = ScheduleMode::kUntuned;
  EXPECT_EQ(explain().schedule, "im2col:t8x2");
  EXPECT_EQ(explain().reason, "forced");
}

TEST(CheckPrimitive, ListsTheNamesThereAre) {
  EXPECT_TRUE(CheckPrimitive("").ok());
  EXPECT_TRUE(CheckPrimitive("winograd4").ok());
  for (const char* sparse : {"sparse", "sparse_im2col", "sparse_spatial"}) {
    EXPECT_TRUE(CheckPrimitive(sparse).ok());
    EXPECT_TRUE(IsSparsePrimitive(sparse));
  }
  EXPECT_FALSE(IsSparsePrimitive("spatial"));
  const Status status = CheckPrimitive("fft");
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("direct"), std::string::npos);
}

}  // namespace
}  // namespace stint
