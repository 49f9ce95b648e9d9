#include "kernels/conv_blocked_f32/conv_blocked_f32.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/platform/thread_pool.h"
#include "core/testing/isa_variants.h"
#include "kernels/conv_blocked_f32/conv_blocked_f32_table.h"
#include "kernels/testing/blocked_operands.h"
#include "kernels/testing/conv_problem.h"

namespace stint {
namespace {

// What the kernel makes of the problem, as a blocked image.
std::vector<float> RunKernel(const ConvBlockedF32Kernel& kernel,
                             const ConvProblem& p, int threads) {
  ThreadPool pool(threads);
  return BlockedOperands(p, kernel, &pool).Run(kernel, &pool, threads);
}

// Winograd transforms lose digits: those of m = 4 multiply by up to 8 * 8.
double Tolerance(const ConvBlockedF32Kernel& kernel, const ConvF32Shape& s) {
  const double digits = 1e-6 * std::sqrt(s.group_in() * s.taps() + 16.0);
  const int m = kernel.winograd ? kernel.winograd->m : 1;
  return digits * (m == 4 ? 20 : m == 2 ? 3 : 1);
}

void CheckShape(const ConvF32Shape& s, Activation act = {},
                bool residual = false) {
  const ConvProblem p = MakeConvProblem(s, act, residual);
  for (const ConvBlockedF32Kernel& kernel : ConvBlockedF32Table()) {
    if (!RunsHere(kernel) || !kernel.supports(kernel, s)) continue;
    const std::vector<float> want =
        Blocked(p.want, s.out_channels, s.out_plane(), kernel.block);
    const bool reference = &kernel == &ConvBlockedF32Table().back();
    for (int threads : {1, 3}) {
      if (reference && threads > 1) break;
      SCOPED_TRACE(testing::Message()
                   << kernel.name << " threads " << threads << ": "
                   << s.in_channels << "->" << s.out_channels << " @" << s.in_h
                   << "x" << s.in_w << " k" << s.kernel_h << "x" << s.kernel_w
                   << " s" << s.stride_w << " g" << s.groups);
      const std::vector<float> got = RunKernel(kernel, p, threads);
      ExpectClose(got, want, Tolerance(kernel, s));
      if (threads > 1) {
        EXPECT_EQ(got, RunKernel(kernel, p, threads));
      }
    }
  }
}

ConvF32Shape Grouped(ConvF32Shape s, int64_t groups) {
  s.groups = groups;
  return s;
}

ConvF32Shape Batch(ConvF32Shape s, int64_t batch) {
  s.batch = batch;
  return s;
}

TEST(ConvBlockedF32, MultipliesPointwise) {
  for (int64_t in : {1, 3, 15, 16, 17, 24, 32}) {
    for (int64_t out : {1, 16, 24, 80}) {
      CheckShape(Square(in, out, 7, 1, 1, 0));
    }
  }
  CheckShape(Square(70, 50, 19, 1, 1, 0));
  CheckShape(Square(600, 130, 7, 1, 1, 0));
}

TEST(ConvBlockedF32, SamplesPointwiseOfAnyStride) {
  for (int64_t stride : {2, 3}) {
    CheckShape(Square(16, 24, 14, 1, stride, 0));
    CheckShape(Square(20, 48, 13, 1, stride, 1));
  }
}

TEST(ConvBlockedF32, ConvolvesChannelsAroundTheBlock) {
  for (int64_t in : {1, 3, 15, 16, 17, 24, 32}) {
    for (int64_t out : {3, 16, 17, 48, 64}) {
      CheckShape(Square(in, out, 9, 3, 1, 1));
    }
  }
}

TEST(ConvBlockedF32, ConvolvesAnyKernelStrideAndWidth) {
  for (int64_t size : {5, 7, 14, 20, 31}) {
    for (int64_t stride : {1, 2, 3}) {
      CheckShape(Square(17, 33, size, 3, stride, 1));
      CheckShape(Square(3, 10, size, 5, stride, 2));
      CheckShape(Square(8, 16, size, 3, stride, 0));
    }
  }
  CheckShape(Square(3, 64, 32, 7, 2, 3));
}

TEST(ConvBlockedF32, SplitsManyInputChannelsAndRows) {
  CheckShape(Square(130, 17, 9, 3, 1, 1));
  CheckShape(Square(200, 100, 4, 3, 1, 1));
  CheckShape(Square(256, 9, 14, 3, 1, 1));
}

TEST(ConvBlockedF32, HandlesUnequalAxesAndDilation) {
  ConvF32Shape s;
  s.batch = 2;
  s.in_channels = 19;
  s.out_channels = 20;
  s.in_h = 11;
  s.in_w = 23;
  s.kernel_h = 2;
  s.kernel_w = 4;
  s.stride_w = 2;
  s.dilation_h = 3;
  s.dilation_w = 2;
  s.pad_top = 2;
  s.out_h = OutSize(11, 2, 1, 3, 2 + 1);
  s.out_w = OutSize(23, 4, 2, 2, 0 + 3);
  CheckShape(s);
  s.out_channels = s.groups = s.in_channels;
  CheckShape(s);
}

TEST(ConvBlockedF32, PaddingMayExceedTheImage) {
  CheckShape(Square(2, 3, 3, 3, 1, 6));
  CheckShape(Grouped(Square(4, 4, 3, 3, 2, 6), 4));
}

TEST(ConvBlockedF32, IgnoresPixelsPastTheLastWindow) {
  ConvF32Shape s = Square(16, 16, 12, 1, 1, 0);
  s.out_h = 9;
  s.out_w = 8;
  CheckShape(s);
}

TEST(ConvBlockedF32, KeepsGroupsApart) {
  CheckShape(Grouped(Square(64, 32, 10, 3, 1, 1), 2));
  CheckShape(Grouped(Square(32, 96, 9, 1, 1, 0), 2));
  CheckShape(Grouped(Square(24, 48, 9, 3, 2, 1), 3));
}

TEST(ConvBlockedF32, ConvolvesDepthwise) {
  for (int64_t size : {3, 7, 14, 17, 33}) {
    for (int64_t stride : {1, 2, 3}) {
      CheckShape(Grouped(Square(5, 5, size, 3, stride, 1), 5));
      CheckShape(Grouped(Square(24, 24, size, 5, stride, 2), 24));
    }
  }
  CheckShape(Grouped(Square(48, 48, 6, 3, 1, 0), 48));
}

TEST(ConvBlockedF32, ScalesChannels) {
  for (int64_t size : {1, 7, 14, 29, 56}) {
    CheckShape(Batch(Grouped(Square(20, 20, size, 1, 1, 0), 20), 2),
               Activation::Relu());
    CheckShape(Grouped(Square(20, 20, size, 1, 2, 0), 20));
    CheckShape(Grouped(Square(20, 20, size, 1, 1, 1), 20));
  }
}

TEST(ConvBlockedF32, RunsEachImageOfABatch) {
  CheckShape(Batch(Square(5, 9, 8, 3, 1, 1), 5));
  CheckShape(Batch(Square(20, 40, 6, 1, 1, 0), 3));
  CheckShape(Batch(Square(20, 40, 6, 1, 2, 0), 3));
  CheckShape(Batch(Grouped(Square(20, 20, 6, 3, 1, 1), 20), 2));
}

TEST(ConvBlockedF32, AddsResidualBeforeActivation) {
  CheckShape(Batch(Square(40, 24, 8, 3, 1, 1), 2), Activation::Relu(), true);
  CheckShape(Batch(Square(40, 24, 8, 1, 1, 0), 2), Activation::Relu(), true);
  CheckShape(Square(40, 24, 8, 1, 2, 0), {}, true);
  CheckShape(Grouped(Square(24, 24, 8, 3, 1, 1), 24), Activation::Relu(), true);
}

TEST(ConvBlockedF32, AppliesEveryActivationAndKeepsPaddedChannelsZero) {
  for (int curve = 0; curve < kCurves; ++curve) {
    const Activation act = Activation::Of(static_cast<Curve>(curve));
    CheckShape(Square(18, 20, 8, 3, 1, 1), act);
    CheckShape(Square(18, 20, 8, 1, 1, 0), act, true);
    CheckShape(Grouped(Square(20, 20, 8, 3, 1, 1), 20), act);
  }
  CheckShape(Square(8, 9, 8, 3, 1, 1), Activation::Clip(0.25f, 0.5f));
  CheckShape(Grouped(Square(9, 9, 8, 3, 1, 1), 9), Activation::Clip(0, 0.5f));
}

TEST(ConvBlockedF32, PicksARowForEveryShapeThatFitsBlocks) {
  const Isa cap = DetectIsa();
  for (ImageLayout input : {ImageLayout::kBlocked, ImageLayout::kPlain}) {
    const ConvF32Shape s = Square(3, 16, 8, 3, 1, 1);
    const ConvBlockedF32Kernel* kernel = PickConvBlockedF32(s, input, cap);
    ASSERT_NE(kernel, nullptr);
    EXPECT_EQ(kernel->input, input);
    EXPECT_EQ(kernel->block, ConvBlockedF32Block(cap));
  }
}

// Channels, side and the fastest in a network (Zen 4), but for 7x7: Winograd is
// a little faster there, for much memory.
TEST(ConvBlockedF32, PicksWinogradWhereTilesAreWorthItsWeights) {
  struct Case {
    int64_t channels, side;
    std::string_view primitive;
  };
  for (const Case& c : {Case{16, 32, "winograd4"},
                        {32, 16, "winograd4"},
                        {64, 8, "winograd2"},
                        {64, 56, "winograd4"},
                        {128, 28, "winograd4"},
                        {256, 14, "winograd2"},
                        {256, 8, "winograd2"},
                        {512, 7, "direct"},
                        {512, 4, "direct"}}) {
    const ConvBlockedF32Kernel* kernel =
        PickConvBlockedF32(Square(c.channels, c.channels, c.side, 3, 1, 1),
                           ImageLayout::kBlocked, DetectIsa());
    ASSERT_NE(kernel, nullptr);
    EXPECT_EQ(kernel->primitive, c.primitive)
        << c.channels << " channels, " << c.side << "x" << c.side;
  }
}

TEST(ConvBlockedF32, PicksNothingForGroupsAcrossBlocks) {
  const ConvF32Shape s = Grouped(Square(12, 12, 8, 3, 1, 1), 3);
  EXPECT_EQ(PickConvBlockedF32(s, ImageLayout::kBlocked, DetectIsa()), nullptr);
}

}  // namespace
}  // namespace stint
