#include "kernels/conv_f32/conv_f32.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/platform/thread_pool.h"
#include "core/testing/isa_variants.h"
#include "kernels/conv_f32/conv_f32_table.h"
#include "kernels/conv_f32/reference.h"
#include "kernels/testing/floats.h"

namespace stint {
namespace {

int64_t OutSize(int64_t in, int64_t kernel, int64_t stride, int64_t dilation,
                int64_t pads) {
  return (in + pads - (kernel - 1) * dilation - 1) / stride + 1;
}

// Symmetric padding `pad` on all sides.
ConvF32Shape Square(int64_t in, int64_t out, int64_t size, int64_t kernel,
                    int64_t stride, int64_t pad) {
  ConvF32Shape s;
  s.in_channels = in;
  s.out_channels = out;
  s.in_h = size;
  s.in_w = size;
  s.kernel_h = s.kernel_w = kernel;
  s.stride_h = s.stride_w = stride;
  s.pad_top = s.pad_left = pad;
  s.out_h = s.out_w = OutSize(size, kernel, stride, 1, 2 * pad);
  return s;
}

ConvF32Shape Grouped(ConvF32Shape s, int64_t groups) {
  s.groups = groups;
  return s;
}

void CheckShape(const ConvF32Shape& s, Activation act = {}) {
  const std::vector<float> x =
      RandomFloats(s.batch * s.in_channels * s.in_plane(), 1);
  const std::vector<float> w =
      RandomFloats(s.out_channels * s.group_in() * s.taps(), 2);
  const std::vector<float> bias = RandomFloats(s.out_channels, 3);
  std::vector<float> want(s.batch * s.out_channels * s.out_plane());
  ConvF32Args args{s, x.data(), w.data(), bias.data(), want.data(), act};
  ReferenceConvF32(args);
  for (const ConvF32Kernel& kernel : ConvF32Table()) {
    if (!RunsHere(kernel) || !kernel.supports(s)) continue;
    for (int threads : {1, 2, 3}) {
      SCOPED_TRACE(testing::Message()
                   << kernel.name << " threads " << threads << ": "
                   << s.in_channels << "->" << s.out_channels << " @" << s.in_h
                   << "x" << s.in_w << " k" << s.kernel_h << "x" << s.kernel_w);
      ThreadPool pool(threads);
      std::vector<float> scratch(kernel.scratch_bytes(kernel, s, threads) / 4);
      std::vector<float> got(want.size(), 9.0f);
      args.y = got.data();
      args.scratch = scratch.data();
      kernel.run(kernel, args, &pool);
      ExpectClose(got, want, 1e-6 * std::sqrt(s.group_in() * s.taps() + 16.0));
    }
  }
}

TEST(ConvF32, MultipliesPointwiseInPlace) {
  CheckShape(Square(3, 5, 7, 1, 1, 0));
  CheckShape(Square(70, 20, 12, 1, 1, 0));
  CheckShape(Square(600, 130, 7, 1, 1, 0));
  CheckShape(Square(16, 24, 14, 1, 2, 0));
}

TEST(ConvF32, GathersColumnsOfAnyKernel) {
  for (int64_t size : {5, 7, 14, 20, 50}) {
    for (int64_t stride : {1, 2, 3}) {
      CheckShape(Square(4, 9, size, 3, stride, 1));
      CheckShape(Square(3, 10, size, 5, stride, 2));
    }
  }
  CheckShape(Square(3, 8, 32, 7, 2, 3));
}

TEST(ConvF32, SplitsManyInputChannels) {
  CheckShape(Square(130, 17, 9, 3, 1, 1));
  CheckShape(Square(200, 300, 4, 3, 1, 1));
}

TEST(ConvF32, HandlesUnequalAxesAndDilation) {
  ConvF32Shape s;
  s.batch = 2;
  s.in_channels = 3;
  s.out_channels = 4;
  s.in_h = 11;
  s.in_w = 23;
  s.kernel_h = 2;
  s.kernel_w = 4;
  s.stride_h = 1;
  s.stride_w = 2;
  s.dilation_h = 3;
  s.dilation_w = 2;
  s.pad_top = 2;
  s.pad_left = 0;
  s.out_h = OutSize(11, 2, 1, 3, 2 + 1);
  s.out_w = OutSize(23, 4, 2, 2, 0 + 3);
  CheckShape(s);
}

TEST(ConvF32, PaddingMayExceedTheImage) {
  CheckShape(Square(2, 3, 3, 3, 1, 6));
  CheckShape(Grouped(Square(4, 4, 3, 3, 2, 6), 4));
}

TEST(ConvF32, ConvolvesOneDimension) {
  ConvF32Shape s;
  s.in_channels = 6;
  s.out_channels = 7;
  s.in_h = s.out_h = 1;
  s.in_w = 90;
  s.kernel_w = 3;
  s.pad_left = 1;
  s.out_w = 90;
  CheckShape(s);
}

TEST(ConvF32, KeepsGroupsApart) {
  CheckShape(Grouped(Square(12, 8, 10, 3, 1, 1), 4));
  CheckShape(Grouped(Square(6, 9, 10, 1, 1, 0), 3));
}

TEST(ConvF32, ConvolvesDepthwise) {
  for (int64_t size : {3, 7, 14, 17, 33, 56}) {
    for (int64_t stride : {1, 2, 3}) {
      CheckShape(Grouped(Square(5, 5, size, 3, stride, 1), 5));
      CheckShape(Grouped(Square(3, 6, size, 5, stride, 2), 3));
    }
  }
}

TEST(ConvF32, RunsEachImageOfABatch) {
  ConvF32Shape s = Square(5, 9, 8, 3, 1, 1);
  s.batch = 5;
  CheckShape(s);
}

TEST(ConvF32, AppliesActivation) {
  CheckShape(Square(8, 9, 8, 3, 1, 1), Activation::Relu());
  CheckShape(Grouped(Square(8, 8, 8, 3, 1, 1), 8), Activation::Clip(0, 0.5f));
}

}  // namespace
}  // namespace stint
