#include "kernels/conv_codes/conv_codes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/base/checked_math.h"
#include "core/platform/thread_pool.h"
#include "kernels/conv_s8/reference.h"
#include "kernels/testing/random_coded_matrix.h"
#include "kernels/testing/rotation.h"

namespace stint {
namespace {

struct Case {
  MatrixCuts cuts;
  int64_t in = 16;
  int64_t size = 7;
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t pad = 0;
  int64_t dilation = 1;
  int64_t batch = 1;
  bool residual = false;
  Curve curve = Curve::kNone;
};

ConvF32Shape ShapeOf(const Case& c, int64_t out) {
  ConvF32Shape s;
  s.batch = c.batch;
  s.in_channels = c.in;
  s.out_channels = out;
  s.in_h = c.size;
  s.in_w = c.size + 1;
  s.kernel_h = s.kernel_w = c.kernel;
  s.stride_h = s.stride_w = c.stride;
  s.dilation_h = s.dilation_w = c.dilation;
  s.pad_top = s.pad_left = c.pad;
  const int64_t window = (c.kernel - 1) * c.dilation + 1;
  s.out_h = (s.in_h + 2 * c.pad - window) / c.stride + 1;
  s.out_w = (s.in_w + 2 * c.pad - window) / c.stride + 1;
  return s;
}

struct Operands {
  explicit Operands(const Case& c)
      : matrix(c.cuts), shape(ShapeOf(c, matrix.n())) {
    Random random(4);
    args.shape = shape;
    args.x_pixel = RoundUp(c.in, 16);
    args.y_pixel = RoundUp(matrix.n(), 16);
    args.x_zero = 77;
    pixels = shape.batch * shape.out_plane();
    for (int64_t i = 0; i < shape.batch * shape.in_plane() * args.x_pixel;
         ++i) {
      x.push_back(static_cast<uint8_t>(random.NextU64()));
    }
    for (int64_t i = 0; i < pixels * args.y_pixel; ++i) {
      residual.push_back(static_cast<uint8_t>(random.NextU64()));
    }
    // About half of the results are within a byte.
    const double spread = 70 * 128 * std::sqrt(static_cast<double>(matrix.k()));
    for (int64_t o = 0; o < matrix.n(); ++o) {
      bias.push_back(static_cast<int32_t>(random.NextInt(20001)) - 10000);
      multiplier.push_back(
          static_cast<float>((0.5 + random.NextDouble()) * 200 / spread));
    }
    args.x = x.data();
    args.residual = c.residual ? residual.data() : nullptr;
    args.out.r_scale = 0.37f;
    args.out.r_zero = 100;
    args.out.zero = 90;
    args.out.lo = 3;
    args.out.hi = 240;
    if (c.curve != Curve::kNone) {
      for (float& m : multiplier) m *= 0.05f;
      args.out.r_scale *= 0.05f;
      args.out.act = Activation::Of(c.curve);
      args.out.inverse = 20;
    }
  }

  // The real channels of y.
  std::vector<uint8_t> Channels(const std::vector<uint8_t>& y) const {
    std::vector<uint8_t> real;
    for (int64_t p = 0; p < pixels; ++p) {
      for (int64_t o = 0; o < shape.out_channels; ++o) {
        real.push_back(y[p * args.y_pixel + o]);
      }
    }
    return real;
  }
  // By the loops of conv_s8, on weights in their usual order.
  std::vector<uint8_t> Want() const {
    std::vector<int8_t> w;
    std::vector<int32_t> centered = bias;
    for (int64_t o = 0; o < shape.out_channels; ++o) {
      for (int64_t c = 0; c < shape.in_channels; ++c) {
        for (int64_t tap = 0; tap < shape.taps(); ++tap) {
          const int v = matrix.Value(o, tap * shape.in_channels + c);
          w.push_back(static_cast<int8_t>(v));
          centered[o] -= args.x_zero * v;
        }
      }
    }
    const ConvS8Kernel unused{};
    std::vector<int8_t> packed(static_cast<size_t>(
        ReferenceConvS8PackedBytes(unused, shape, args.x_pixel)));
    ReferenceConvS8Pack(
        unused, shape,
        {w.data(), centered.data(), multiplier.data(), args.x_pixel},
        packed.data());
    std::vector<uint8_t> y(static_cast<size_t>(pixels * args.y_pixel));
    ConvS8Args plain = args;
    plain.w = packed.data();
    plain.y = y.data();
    ReferenceConvS8(unused, plain, nullptr);
    return Channels(y);
  }
  std::vector<uint8_t> Run(const ConvCodesKernel& kernel,
                           ThreadPool* pool) const {
    std::vector<uint8_t> scratch(
        static_cast<size_t>(ConvCodesScratchBytes(kernel, shape, args.x_pixel,
                                                  pool->threads()) +
                            64),
        99);
    std::vector<uint8_t> y(static_cast<size_t>(pixels * args.y_pixel));
    ConvS8Args mine = args;
    mine.scratch = Aligned(scratch.data());
    mine.y = y.data();
    ConvCodes(kernel, mine,
              {matrix.matrix().blocks, bias.data(), multiplier.data()}, pool);
    return Channels(y);
  }

  RandomCodedMatrix matrix;
  ConvF32Shape shape;
  int64_t pixels;
  std::vector<uint8_t> x;
  std::vector<uint8_t> residual;
  std::vector<int32_t> bias;
  std::vector<float> multiplier;
  ConvS8Args args;
};

// Every direct row with every decoder; `off` is what a byte may differ by.
void Check(const Case& c, int threads = 1, int off = 0) {
  const Operands ops(c);
  ASSERT_TRUE(ConvCodesSupports(ops.shape));
  ASSERT_EQ(ops.matrix.k(), c.in * c.kernel * c.kernel);
  const std::vector<uint8_t> want = ops.Want();
  ThreadPool pool(threads);
  for (const ConvS8Kernel& row : ConvS8Table()) {
    if (row.isa > DetectIsa() || row.tiles == nullptr ||
        row.tiles->groups > 1) {
      continue;
    }
    for (const CodeDecoder& decoder : CodeDecoderTable()) {
      if (!CanRun(decoder, DetectIsa())) continue;
      SCOPED_TRACE(testing::Message() << row.name << " " << decoder.name);
      const std::vector<uint8_t> got = ops.Run({&row, &decoder}, &pool);
      ASSERT_EQ(got.size(), want.size());
      for (size_t i = 0; i < got.size(); ++i) {
        ASSERT_LE(std::abs(got[i] - want[i]), off) << "at " << i;
      }
    }
  }
}

TEST(ConvCodes, MultipliesPixelsAtEveryNumberOfBits) {
  for (int bits = kPlaneMinBits; bits <= kPlaneMaxBits; ++bits) {
    Check({.cuts = {{40}, {20}, {bits}}, .in = 20});
  }
}

TEST(ConvCodes, MultipliesWindows) {
  Check({.cuts = {{24}, {144}, {4}}, .in = 16, .kernel = 3, .pad = 1});
  Check({.cuts = {{24}, {108}, {5}}, .in = 12, .kernel = 3, .stride = 2});
  Check({.cuts = {{70}, {72}, {3}}, .in = 8, .kernel = 3, .dilation = 2});
  Check({.cuts = {{16}, {100}, {8}}, .in = 4, .kernel = 5, .pad = 2});
}

TEST(ConvCodes, HandlesAnyNumberOfOutputs) {
  for (int64_t out : {1, 7, 16, 17, 33, 48, 63, 65, 100, 130}) {
    Check({.cuts = {{out}, {36}, {4}}, .in = 4, .kernel = 3, .pad = 1});
  }
}

TEST(ConvCodes, ReadsBlocksCutBothWays) {
  Check({.cuts = {{32, 16, 40}, {48, 96}, {2, 8, 5}},
         .in = 16,
         .kernel = 3,
         .pad = 1});
  Check({.cuts = {{64, 64}, {12, 20}, {3, 4, 6, 7}}, .in = 32});
}

TEST(ConvCodes, RunsBandsOfABatchOnThreads) {
  Check({.cuts = {{20}, {108}, {4}},
         .in = 12,
         .size = 60,
         .kernel = 3,
         .pad = 1,
         .batch = 2},
        2);
  Check({.cuts = {{200}, {64}, {4}}, .in = 64, .size = 20, .batch = 3}, 2);
}

TEST(ConvCodes, AddsResidualAndCurve) {
  Check({.cuts = {{40}, {20}, {4}}, .in = 20, .residual = true});
  Check({.cuts = {{40}, {20}, {4}},
         .in = 20,
         .residual = true,
         .curve = Curve::kGeluErf},
        1, 1);
}

TEST(ConvCodes, LeavesGroupsAndOddChannelsToOthers) {
  ConvF32Shape shape;
  shape.in_channels = 3;
  EXPECT_FALSE(ConvCodesSupports(shape));
  shape.in_channels = 16;
  EXPECT_TRUE(ConvCodesSupports(shape));
  shape.groups = 4;
  EXPECT_FALSE(ConvCodesSupports(shape));
}

}  // namespace
}  // namespace stint
