#include "kernels/conv_generated_f32/generated_conv.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/base/random.h"
#include "core/platform/thread_pool.h"
#include "kernels/testing/blocked_operands.h"
#include "kernels/testing/conv_problem.h"

namespace stint {
namespace {

// What generated code makes of a problem, as a blocked image.
std::vector<float> RunGenerated(const GeneratedConv& conv,
                                const ConvBlockedF32Kernel& row,
                                const ConvProblem& p, int threads) {
  ThreadPool pool(threads);
  BlockedOperands operands(p, row, &pool);
  conv.Run(operands.args, &pool);
  return operands.y;
}

void CheckSchedule(const ConvProblem& p, const ConvSchedule& schedule,
                   ImageLayout input, Isa isa) {
  const ConvF32Shape& s = p.shape;
  SCOPED_TRACE(testing::Message()
               << IsaName(isa) << " " << ToText({"generated", schedule}) << ": "
               << s.in_channels << "->" << s.out_channels << " @" << s.in_h
               << "x" << s.in_w << " k" << s.kernel_h << "x" << s.kernel_w
               << " s" << s.stride_w << " p" << s.pad_left);
  const ConvBlockedF32Kernel* row = nullptr;
  for (const auto* fitting : FittingConvBlockedF32(s, input, isa)) {
    const std::string_view name = fitting->primitive;
    if (name == "direct" || name == "first" || name == "depthwise") {
      row = fitting;
      break;
    }
  }
  ASSERT_NE(row, nullptr);
  const auto conv = GeneratedConv::Make(s, input, schedule, isa);
  ASSERT_TRUE(conv.ok()) << conv.status().message();
  const std::vector<float> want =
      Blocked(p.want, s.out_channels, s.out_plane(), row->block);
  const double tolerance = 1e-6 * std::sqrt(s.in_channels * s.taps() + 16.0);
  for (int threads : {1, 3}) {
    ExpectClose(RunGenerated(**conv, *row, p, threads), want, tolerance);
  }
}

std::vector<Isa> Levels() {
  std::vector<Isa> levels;
  for (Isa isa : {Isa::kAvx2, Isa::kAvx512}) {
    if (DetectIsa() >= isa && GeneratedPixels(isa, 1) > 0) {
      levels.push_back(isa);
    }
  }
  return levels;
}

void CheckShape(const ConvF32Shape& s, const ConvSchedule& schedule = {},
                const Activation& act = {}, bool residual = false) {
  const ConvProblem p = MakeConvProblem(s, act, residual);
  for (Isa isa : Levels()) {
    CheckSchedule(p, schedule, ImageLayout::kBlocked, isa);
    CheckSchedule(p, schedule, ImageLayout::kPlain, isa);
  }
}

TEST(GeneratedConv, ConvolvesChannelsAroundTheBlock) {
  for (int64_t in : {1, 3, 8, 15, 16, 17, 33}) {
    for (int64_t out : {3, 16, 17, 80}) CheckShape(Square(in, out, 9, 3, 1, 1));
  }
}

TEST(GeneratedConv, ConvolvesAnyKernelStrideAndWidth) {
  for (int64_t size : {4, 7, 16, 31}) {
    for (int64_t stride : {1, 2, 3}) {
      CheckShape(Square(17, 33, size, 3, stride, 1));
      CheckShape(Square(3, 10, size, 5, stride, 2));
      CheckShape(Square(20, 16, size, 1, stride, 0));
    }
  }
  CheckShape(Square(3, 64, 32, 7, 2, 3));
}

TEST(GeneratedConv, ReadsAFlatImageInRowsThatEndEarly) {
  for (int64_t size : {1, 5, 13, 29}) {
    CheckShape(Square(24, 40, size, 1, 1, 0), {.tile_blocks = 1});
    CheckShape(Square(24, 40, size, 1, 1, 0), {.tile_blocks = 3});
  }
}

TEST(GeneratedConv, PaddingMayExceedTheImage) {
  CheckShape(Square(2, 3, 3, 3, 1, 6));
  CheckShape(Square(5, 20, 2, 3, 2, 3), {.tile_rows = 2});
}

TEST(GeneratedConv, HandlesUnequalAxesAndDilation) {
  ConvF32Shape s = Square(19, 20, 11, 2, 1, 2);
  s.batch = 2;
  s.in_w = 23;
  s.kernel_w = 4;
  s.stride_w = 2;
  s.dilation_h = 3;
  s.dilation_w = 2;
  s.pad_left = 1;
  s.out_h = (11 + 3 - 3 - 1) / 1 + 1;
  s.out_w = (23 + 3 - 6 - 1) / 2 + 1;
  CheckShape(s);
  CheckShape(s, {.tile_rows = 3});
}

TEST(GeneratedConv, AddsResidualsClampsAndKeepsPaddedChannelsZero) {
  CheckShape(Square(40, 24, 8, 3, 1, 1), {}, Activation::Relu(), true);
  CheckShape(Square(40, 24, 8, 1, 1, 0), {}, Activation::None(), true);
  CheckShape(Square(8, 9, 8, 3, 1, 1), {}, Activation::Clip(0.25f, 0.5f));
}

TEST(GeneratedConv, AgreesForRandomShapesAndSchedules) {
  Random random(7);
  const auto below = [&](int64_t n) { return random.NextInt(n); };
  for (int i = 0; i < 60; ++i) {
    ConvF32Shape s = Square(1 + below(40), 1 + below(100), 3 + below(14),
                            1 + 2 * below(2), 1 + below(2), below(2));
    s.batch = 1 + below(2);
    ConvSchedule schedule;
    schedule.tile_blocks = static_cast<int>(below(7));
    schedule.tile_rows = static_cast<int>(below(5));
    schedule.tile_pixels = static_cast<int>(below(20));
    schedule.band = static_cast<int>(below(6));
    schedule.row_first = static_cast<int>(below(2));
    schedule.unroll = static_cast<int>(below(9));
    schedule.ahead = static_cast<int>(below(3));
    schedule.row_parts = static_cast<int>(below(3));
    schedule.block_parts = static_cast<int>(below(3));
    CheckShape(s, schedule, Activation::Relu(), i % 2 == 0);
  }
}

TEST(GeneratedConv, ConvolvesDepthwise) {
  Random random(8);
  for (int64_t size : {3, 4, 8, 16, 33}) {
    for (int64_t stride : {1, 2}) {
      for (int64_t kernel : {1, 3, 5}) {
        ConvF32Shape s = Square(40, 40, size, kernel, stride, kernel / 2);
        s.groups = 40;
        s.batch = 2;
        ConvSchedule schedule;
        schedule.tile_rows = static_cast<int>(random.NextInt(5));
        schedule.tile_pixels = static_cast<int>(random.NextInt(20));
        schedule.block_parts = static_cast<int>(random.NextInt(3));
        schedule.row_parts = 1;
        const ConvProblem p = MakeConvProblem(
            s, size == 8 ? Activation::Clip(0.1f, 6) : Activation::Relu(),
            stride == 1);
        for (Isa isa : Levels()) {
          CheckSchedule(p, schedule, ImageLayout::kBlocked, isa);
        }
      }
    }
  }
}

TEST(GeneratedConv, HalfAnOutputBlockIsHalfTheWork) {
  for (int64_t out : {1, 8, 9, 24, 40, 56}) {
    for (int blocks : {1, 2, 3}) {
      CheckShape(Square(20, out, 9, 3, 1, 1), {.tile_blocks = blocks},
                 Activation::Clip(0.25f, 0.5f), true);
      CheckShape(Square(20, out, 9, 1, 1, 0), {.tile_blocks = blocks});
    }
  }
}

TEST(GeneratedConv, KeepsNotANumber) {
  if (Levels().empty()) GTEST_SKIP() << "no code is generated here";
  ConvProblem p =
      MakeConvProblem(Square(16, 16, 4, 1, 1, 0), Activation::Relu(), false);
  p.x[5] = NAN;
  const Isa isa = Levels().back();
  const auto* row =
      FittingConvBlockedF32(p.shape, ImageLayout::kBlocked, isa).front();
  const auto conv =
      GeneratedConv::Make(p.shape, ImageLayout::kBlocked, {}, isa);
  ASSERT_TRUE(conv.ok());
  const std::vector<float> y = RunGenerated(**conv, *row, p, 1);
  EXPECT_TRUE(std::isnan(y[5 * row->block]));
  EXPECT_FALSE(std::isnan(y[6 * row->block]));
}

TEST(GeneratedConv, RefusesGroupsAndOldMachines) {
  ConvF32Shape grouped = Square(32, 32, 8, 3, 1, 1);
  grouped.groups = 2;
  EXPECT_FALSE(GeneratedConv::Supports(grouped, DetectIsa()));
  EXPECT_FALSE(
      GeneratedConv::Supports(Square(16, 16, 8, 3, 1, 1), Isa::kBaseline));
  const auto made =
      GeneratedConv::Make(grouped, ImageLayout::kBlocked, {}, DetectIsa());
  EXPECT_EQ(made.status().code(), StatusCode::kUnsupported);
}

}  // namespace
}  // namespace stint
