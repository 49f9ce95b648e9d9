#include "kernels/conv_blocked_f32/conv_schedule.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/platform/thread_pool.h"
#include "core/testing/isa_variants.h"
#include "kernels/conv_blocked_f32/conv_blocked_f32_table.h"
#include "kernels/testing/blocked_operands.h"
#include "kernels/testing/conv_problem.h"

namespace stint {
namespace {

TEST(ConvSchedule, TextHasWhatIsSetAndComesBack) {
  const ConvPlan plan{"direct",
                      {.tile_blocks = 2,
                       .tile_pixels = 8,
                       .chunk = 4,
                       .row_parts = 2,
                       .block_parts = 1,
                       .row_first = 1}};
  EXPECT_EQ(ToText(plan), "direct:t8x2:c4:g2x1:r1");
  const auto parsed = ParseConvPlan(ToText(plan));
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(*parsed, plan);
  EXPECT_EQ(ToText({"winograd4", {}}), "winograd4");
}

TEST(ConvSchedule, RefusesWhatIsNoSchedule) {
  for (const char* text :
       {"", ":t8x2", "direct:", "direct:t8", "direct:t8x", "direct:q3",
        "direct:c-1", "direct:c99999999", "direct:c4x", "direct:t8x2x1"}) {
    EXPECT_EQ(ParseConvPlan(text).status().code(), StatusCode::kDamaged)
        << text;
  }
}

// Every row gives the same answer whatever its schedule says.
void CheckSchedule(const ConvProblem& p, const ConvSchedule& schedule) {
  const ConvF32Shape& s = p.shape;
  ThreadPool pool(2);
  for (ConvBlockedF32Kernel kernel : ConvBlockedF32Table()) {
    if (!RunsHere(kernel) || !kernel.supports(kernel, s) ||
        kernel.input == ImageLayout::kPlain) {
      continue;
    }
    SCOPED_TRACE(ToText({kernel.name, schedule}));
    kernel.schedule = schedule;
    const std::vector<float> y =
        BlockedOperands(p, kernel, &pool).Run(kernel, &pool, 2);
    const double digits = 1e-6 * std::sqrt(s.group_in() * s.taps() + 16.0);
    ExpectClose(y, Blocked(p.want, s.out_channels, s.out_plane(), kernel.block),
                kernel.winograd ? 20 * digits : digits);
  }
}

TEST(ConvSchedule, ChangesNoAnswer) {
  ConvF32Shape s = Square(70, 50, 13, 3, 1, 1);
  s.batch = 2;
  ConvF32Shape depthwise = s;
  depthwise.groups = depthwise.out_channels = depthwise.in_channels = 40;
  ConvF32Shape pointwise = s;
  pointwise.kernel_h = pointwise.kernel_w = 1;
  pointwise.pad_top = pointwise.pad_left = 0;
  for (const ConvF32Shape& shape : {s, depthwise, pointwise}) {
    const ConvProblem p = MakeConvProblem(shape, Activation::Relu(), false);
    for (const char* text :
         {"x:t8x2", "x:t99x9", "x:c1", "x:c2:b3", "x:c99:b99", "x:g1x1",
          "x:g2x1", "x:g1x2", "x:g9x9", "x:r1", "x:r1:b4:c1:t3x1", "x:b1"}) {
      CheckSchedule(p, ParseConvPlan(text)->schedule);
    }
  }
}

}  // namespace
}  // namespace stint
