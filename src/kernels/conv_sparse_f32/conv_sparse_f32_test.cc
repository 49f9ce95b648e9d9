#include "kernels/conv_sparse_f32/conv_sparse_f32.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/platform/thread_pool.h"
#include "core/testing/isa_variants.h"
#include "kernels/testing/bench_layers.h"
#include "kernels/testing/conv_problem.h"

namespace stint {
namespace {

// Keeps one block of `rows` outputs in `keep`.
void Thin(const ConvF32Shape& s, int64_t rows, int64_t keep,
          std::vector<float>* w) {
  const int64_t inputs = s.in_channels * s.taps();
  for (int64_t o = 0; o < s.out_channels; ++o) {
    for (int64_t i = 0; i < inputs; ++i) {
      const int64_t block = o / rows * inputs + i;
      if (block * 2654435761 % keep != 0) (*w)[o * inputs + i] = 0;
    }
  }
}

ConvF32Shape Layer(int64_t in, int64_t out, int64_t size, int64_t kernel,
                   int64_t stride) {
  return BenchLayer(in, out, size, kernel, stride);
}

std::vector<ConvF32Shape> Shapes() {
  ConvF32Shape dilated = Layer(5, 7, 11, 3, 1);
  dilated.dilation_h = dilated.dilation_w = 2;
  dilated.pad_top = dilated.pad_left = 2;
  ConvF32Shape tall = Layer(17, 33, 9, 3, 2);
  tall.kernel_h = 5;
  tall.pad_top = 2;
  tall.batch = 2;
  ConvF32Shape shifted = Layer(16, 16, 10, 3, 2);  // padded on one side
  shifted.pad_top = shifted.pad_left = 0;
  ConvF32Shape spread = Layer(3, 4, 15, 2, 3);
  spread.dilation_w = 2;
  spread.pad_left = spread.pad_top = 0;
  spread.out_h = spread.out_w = 4;
  return {Layer(16, 32, 8, 1, 1),
          Layer(20, 40, 14, 3, 1),
          Layer(3, 16, 32, 3, 1),
          Layer(64, 24, 7, 3, 1),
          Layer(16, 16, 13, 3, 2),
          Layer(19, 21, 9, 1, 2),
          Layer(8, 8, 6, 7, 2),
          Layer(1, 1, 1, 1, 1),
          dilated,
          tall,
          shifted,
          spread};
}

// Of the input; the output is blocked but for channels last.
enum class Form { kBlocked, kPlain, kChannelsLast };

// How a problem is computed.
struct Way {
  int rows = 4;
  Form form = Form::kBlocked;
  SparseGather gather = SparseGather::kImage;
  int threads = 2;
};

std::vector<float> RunKernel(const ConvSparseF32Kernel& kernel,
                             const ConvProblem& p, const Way& way) {
  const ConvF32Shape& s = p.shape;
  const Form form = way.form;
  ThreadPool pool(way.threads);
  const SparseWeights w = PackSparse(s, p.w.data(), way.rows);
  const SparsePlan plan =
      MakeSparsePlan(kernel.block, s, way.gather, way.threads);
  const std::vector<int32_t> at = SparsePlaceOffsets(plan, s);
  std::vector<int32_t> offsets;
  for (int32_t place : w.place) offsets.push_back(at[place]);
  const bool last = form == Form::kChannelsLast;
  const std::vector<float> x =
      form != Form::kBlocked
          ? p.x
          : Blocked(p.x, s.in_channels, s.in_plane(), kernel.block);
  const std::vector<float> residual =
      last ? p.residual
           : Blocked(p.residual, s.out_channels, s.out_plane(), kernel.block);
  std::vector<float> bias = p.bias;
  bias.resize(RoundUp(s.out_channels, kernel.block));
  std::vector<float> scratch(plan.scratch_bytes() / 4, NAN);
  std::vector<float> y(
      s.batch * BlockedFloats(s.out_channels, s.out_plane(), kernel.block),
      9.0f);
  ConvSparseF32Args args;
  args.shape = s;
  args.plan = plan;
  args.x = x.data();
  args.plain_input = form == Form::kPlain;
  args.channels_last = last;
  args.rows = way.rows;
  args.begin = w.begin;
  args.values = w.values.data();
  args.offsets = offsets.data();
  args.bias = bias.data();
  args.residual = residual.empty() ? nullptr : residual.data();
  args.act = p.act;
  args.y = y.data();
  args.scratch = scratch.data();
  ConvSparseF32(kernel, args, &pool);
  return y;
}

class ConvSparseF32Test : public testing::TestWithParam<int> {
 protected:
  const ConvSparseF32Kernel& kernel() const {
    return ConvSparseF32Table()[static_cast<size_t>(GetParam())];
  }
  void SetUp() override {
    if (!RunsHere(kernel())) GTEST_SKIP() << "no " << kernel().name;
  }
  void Check(const ConvF32Shape& s, const Way& way, const Activation& act,
             bool residual) {
    ConvProblem p = MakeConvProblem(s, act, residual,
                                    [&](auto* w) { Thin(s, way.rows, 5, w); });
    const auto y = RunKernel(kernel(), p, way);
    const auto want =
        Blocked(p.want, s.out_channels, s.out_plane(), kernel().block);
    ExpectClose(y, want, 1e-4f);
  }
};

TEST_P(ConvSparseF32Test, EqualsTheReferenceForEveryBlockAndGather) {
  for (const ConvF32Shape& s : Shapes()) {
    for (int rows : kSparseRows) {
      if (rows > kernel().block) continue;
      for (SparseGather gather : kSparseGathers) {
        SCOPED_TRACE(testing::Message()
                     << s.in_channels << "x" << s.in_h << " kernel "
                     << s.kernel_w << " rows " << rows << " "
                     << SparseGatherName(gather));
        Check(s, {rows, Form::kBlocked, gather}, Activation::Relu(), true);
        Check(s, {rows, Form::kPlain, gather}, Activation::None(), false);
      }
    }
  }
}

// Large enough for several bands, with rows left over for the last.
TEST_P(ConvSparseF32Test, GivesTheSameForEveryGatherAndNumberOfThreads) {
  ConvF32Shape wide = Layer(21, 35, 61, 3, 1);
  ConvF32Shape strided = Layer(40, 24, 59, 3, 2);
  strided.batch = 3;
  for (const ConvF32Shape& s :
       {wide, strided, Layer(130, 70, 23, 1, 1), Layer(33, 90, 5, 3, 1)}) {
    const ConvProblem p = MakeConvProblem(s, Activation::Relu(), true,
                                          [&](auto* w) { Thin(s, 4, 7, w); });
    const auto first = RunKernel(kernel(), p, {.threads = 1});
    ExpectClose(first,
                Blocked(p.want, s.out_channels, s.out_plane(), kernel().block),
                1e-4f);
    for (SparseGather gather : kSparseGathers) {
      for (int threads : {1, 2, 3, 8}) {
        const Way way{4, Form::kBlocked, gather, threads};
        EXPECT_EQ(RunKernel(kernel(), p, way), first)
            << SparseGatherName(gather) << " " << threads;
      }
    }
  }
}

// [batch, channels, pixels] to [batch, pixels, channels].
std::vector<float> ChannelsLast(const std::vector<float>& x, int64_t channels,
                                int64_t pixels) {
  std::vector<float> y(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    const int64_t n = at / (channels * pixels);
    const int64_t c = at / pixels % channels;
    y[(n * pixels + at % pixels) * channels + c] = x[i];
  }
  return y;
}

TEST_P(ConvSparseF32Test, TakesImagesWithChannelsLast) {
  ConvF32Shape rows = Layer(32, 48, 1, 1, 1);
  rows.in_w = rows.out_w = 37;
  ConvF32Shape two = Layer(16, 32, 9, 3, 2);
  two.batch = 2;
  for (const ConvF32Shape& s : {rows, two}) {
    ConvProblem p = MakeConvProblem(s, Activation::Of(Curve::kGeluErf), true,
                                    [&](auto* w) { Thin(s, 4, 5, w); });
    const auto want = ChannelsLast(p.want, s.out_channels, s.out_plane());
    p.x = ChannelsLast(p.x, s.in_channels, s.in_plane());
    p.residual = ChannelsLast(p.residual, s.out_channels, s.out_plane());
    for (SparseGather gather : kSparseGathers) {
      const Way way{4, Form::kChannelsLast, gather};
      ExpectClose(RunKernel(kernel(), p, way), want, 1e-4f);
    }
  }
}

TEST_P(ConvSparseF32Test, LeavesChannelsPastTheLastAtZero) {
  for (SparseGather gather : kSparseGathers) {
    Check(Layer(6, 9, 8, 3, 1), {1, Form::kBlocked, gather},
          Activation::Of(Curve::kSigmoid), true);
  }
}

TEST_P(ConvSparseF32Test, GivesTheBiasWhereAllWeightsAreZero) {
  const ConvF32Shape s = Layer(4, 20, 6, 3, 1);
  const ConvProblem p =
      MakeConvProblem(s, Activation::None(), false,
                      [](auto* w) { std::fill(w->begin(), w->end(), 0.0f); });
  for (SparseGather gather : kSparseGathers) {
    const auto y = RunKernel(kernel(), p, {4, Form::kBlocked, gather});
    ExpectClose(y, Blocked(p.want, 20, s.out_plane(), kernel().block), 0);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Table, ConvSparseF32Test,
    testing::Range(0, static_cast<int>(ConvSparseF32Table().size())),
    [](const auto& info) {
      return ConvSparseF32Table()[static_cast<size_t>(info.param)].name;
    });

TEST(PackSparse, KeepsEveryWeightThatIsNotZero) {
  const ConvF32Shape s = Layer(3, 6, 4, 3, 1);
  std::vector<float> w = RandomFloats(6 * 27, 3);
  Thin(s, 1, 4, &w);
  for (int rows : kSparseRows) {
    const SparseWeights packed = PackSparse(s, w.data(), rows);
    std::vector<float> back(w.size(), 0.0f);
    for (size_t b = 0; b + 1 < packed.begin.size(); ++b) {
      for (int32_t e = packed.begin[b]; e < packed.begin[b + 1]; ++e) {
        for (int r = 0; r < rows; ++r) {
          const auto o = static_cast<int64_t>(b) * rows + r;
          if (o < 6)
            back[o * 27 + packed.place[e]] = packed.values[e * rows + r];
        }
      }
    }
    EXPECT_EQ(back, w);
  }
}

TEST(CheapestSparseRows, FollowsThePatternOfZeros) {
  const ConvF32Shape s = Layer(16, 64, 8, 3, 1);
  for (int rows : kSparseRows) {
    std::vector<float> w = RandomFloats(64 * 16 * 9, 5);
    Thin(s, rows, 10, &w);
    EXPECT_EQ(CheapestSparseRows(s, w.data(), 16).rows, rows);
  }
}

}  // namespace
}  // namespace stint
