#include "kernels/conv_blocked_f32/layout.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/platform/thread_pool.h"
#include "kernels/testing/floats.h"

namespace stint {
namespace {

ConvF32Shape Shape(int64_t groups, int64_t in, int64_t out, int64_t kernel) {
  ConvF32Shape s;
  s.groups = groups;
  s.in_channels = in;
  s.out_channels = out;
  s.kernel_h = s.kernel_w = kernel;
  s.in_h = s.in_w = 8;
  s.pad_top = s.pad_left = kernel / 2;
  s.out_h = s.out_w = 8;
  return s;
}

TEST(ConvBlockedF32Layout, EveryLayoutThatMovesWeightsHasAWayBack) {
  ThreadPool pool(2);
  int unpacked = 0;
  for (const ConvBlockedF32Kernel& kernel : ConvBlockedF32Table()) {
    for (const ConvF32Shape& s :
         {Shape(1, 32, 40, 3), Shape(1, 3, 16, 7), Shape(1, 48, 17, 1),
          Shape(2, 32, 64, 3), Shape(20, 20, 20, 3)}) {
      if (!kernel.supports(kernel, s)) continue;
      const auto w = RandomFloats(s.out_channels * s.group_in() * s.taps(), 11);
      std::vector<float> packed(
          static_cast<size_t>(kernel.packed_bytes(kernel, s) / 4));
      kernel.pack(kernel, s, w.data(), packed.data(), &pool);
      std::vector<float> back(w.size());
      const std::string layout = ConvBlockedF32Layout(kernel);
      const bool can = ConvBlockedF32CanUnpack(layout);
      EXPECT_EQ(ConvBlockedF32Unpack(layout, s, packed, back.data()), can);
      if (!can) continue;
      EXPECT_EQ(back, std::vector<float>(w.begin(), w.end())) << kernel.name;
      packed.pop_back();
      EXPECT_FALSE(ConvBlockedF32Unpack(layout, s, packed, back.data()));
      ++unpacked;
    }
  }
  EXPECT_GT(unpacked, 6);
}

TEST(ConvBlockedF32Layout, FindsTheKernelThatReadsIt) {
  const ConvF32Shape s = Shape(1, 64, 64, 3);
  const Isa isa = DetectIsa();
  const std::string block = std::to_string(ConvBlockedF32Block(isa));
  for (const char* primitive : {"direct", "winograd2", "winograd4"}) {
    const auto* kernel =
        FindConvBlockedF32("conv_blocked_f32/" + (primitive + block), s,
                           ImageLayout::kBlocked, isa);
    ASSERT_NE(kernel, nullptr) << primitive;
    EXPECT_STREQ(kernel->primitive, primitive);
  }
  for (const char* layout : {"", "conv_blocked_f32/direct3",
                             "gemm_f32/panels16", "conv_blocked_f32/direct"}) {
    EXPECT_EQ(FindConvBlockedF32(layout, s, ImageLayout::kBlocked, isa),
              nullptr);
  }
}

}  // namespace
}  // namespace stint
