#include "kernels/conv_blocked_bf16/conv_blocked_bf16.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/float_bits.h"
#include "core/platform/thread_pool.h"
#include "core/testing/isa_variants.h"
#include "kernels/conv_blocked_bf16/depthwise_code.h"
#include "kernels/conv_blocked_bf16/tile_code.h"
#include "kernels/conv_blocked_f32/reference.h"
#include "kernels/conv_blocked_f32/reorder.h"
#include "kernels/testing/emulated_tiles.h"
#include "kernels/testing/floats.h"
#include "kernels/testing/trapped_tiles.h"

namespace stint {

extern const ConvTileCode kConvTileCodeAmx;
extern const ConvTileCode kConvTileCodeDot;

namespace {

// The code of the AMX kernel on tile registers in memory.
constexpr ConvTileCode kEmulatedCode = {
    RoundConvPixels<Generic>, RoundConvPlainPixels<Generic>,
    RunConvTilePart<EmulatedTiles, Generic>, RunNarrowDepthwiseRow<Generic>};
constexpr ConvBlockedBf16Kernel kEmulatedAmx = {nullptr, &kEmulatedCode};

int BlockOf(const ConvBlockedBf16Kernel& kernel) {
  return kernel.tiles ? kConvTileBlock : kernel.f32->block;
}

std::string NameOf(const ConvBlockedBf16Kernel& kernel) {
  return kernel.f32                       ? kernel.f32->name
         : kernel.tiles == &kEmulatedCode ? "emulated_amx"
                                          : "tiles";
}

std::vector<float> Rounded(std::vector<float> values) {
  for (float& v : values) v = BFloat16ToFloat(FloatToBFloat16(v));
  return values;
}

// A convolution on plain images.
struct Problem {
  Problem(const ConvF32Shape& s, Activation act, bool has_residual)
      : shape(s),
        act(act),
        x(RandomFloats(s.batch * s.in_channels * s.in_plane(), 1)),
        w(RandomFloats(s.out_channels * s.group_in() * s.taps(), 2)),
        bias(RandomFloats(s.out_channels, 3)) {
    if (has_residual) {
      residual = RandomFloats(s.batch * s.out_channels * s.out_plane(), 4);
    }
  }
  ConvF32Shape shape;
  Activation act;
  std::vector<float> x, w, bias, residual;
  // Answers by block, and whether x is rounded.
  mutable std::map<std::pair<int, bool>, std::vector<float>> wants;
};

std::vector<float> Blocked(const std::vector<float>& plain, int64_t batch,
                           int64_t channels, int64_t block) {
  if (plain.empty()) return {};
  const int64_t plane = static_cast<int64_t>(plain.size()) / batch / channels;
  std::vector<float> out(batch * BlockedFloats(channels, plane, block), 9.0f);
  ThreadPool pool(1);
  PlainToBlockedF32({batch, channels, plane, block, plain.data(), out.data()},
                    &pool);
  return out;
}

// Arguments of the reference on blocked images, and the memory they point to.
struct Call {
  Call(const Problem& p, int64_t block, bool round_x)
      : x(Blocked(round_x ? Rounded(p.x) : p.x, p.shape.batch,
                  p.shape.in_channels, block)),
        residual(
            Blocked(p.residual, p.shape.batch, p.shape.out_channels, block)),
        bias(p.bias),
        y(p.shape.batch *
              BlockedFloats(p.shape.out_channels, p.shape.out_plane(), block),
          9.0f) {
    bias.resize(RoundUp(p.shape.out_channels, kNarrowBlock));
    args.shape = p.shape;
    args.x = x.data();
    args.bias = bias.data();
    if (!residual.empty()) args.residual = residual.data();
    args.act = p.act;
    args.y = y.data();
  }
  std::vector<float> x, residual, bias, y;
  ConvBlockedF32Args args;
};

// What the reference makes of rounded weights, and x where that is rounded too.
std::vector<float> Want(const Problem& p, const ConvBlockedBf16Kernel& kernel) {
  const bool tiles = kernel.tiles != nullptr;
  std::vector<float>& want = p.wants[{BlockOf(kernel), tiles}];
  if (!want.empty()) return want;
  Call call(p, BlockOf(kernel), tiles);
  const std::vector<float> w = Rounded(p.w);
  call.args.w = w.data();
  ReferenceConvBlockedF32(call.args, BlockOf(kernel));
  return want = call.y;
}

// An image in one of the forms, with numbers in the lanes of a narrow one that
// no channel has.
struct Image {
  Image(const std::vector<float>& plain, int64_t batch, int64_t channels,
        ConvForm form, int64_t block) {
    if (plain.empty()) return;
    floats = form == ConvForm::kPlain
                 ? plain
                 : Blocked(plain, batch, channels,
                           form == ConvForm::kNarrow ? kNarrowBlock : block);
    if (form != ConvForm::kNarrow) return;
    const int64_t blocks = CeilDiv(channels, kNarrowBlock);
    const int64_t size = static_cast<int64_t>(floats.size()) / batch / blocks;
    for (int64_t i = 0; i < std::ssize(floats); ++i) {
      const int64_t channel =
          i / size % blocks * kNarrowBlock + i % kNarrowBlock;
      narrow.push_back(FloatToBFloat16(channel < channels ? floats[i] : 7.0f));
    }
  }
  void* data() {
    if (!narrow.empty()) return narrow.data();
    return floats.empty() ? nullptr : floats.data();
  }
  std::vector<float> floats;
  std::vector<uint16_t> narrow;
};

// y on blocks of `block`; lanes past the last channel of a narrow one as 0.
std::vector<float> Wide(const Image& y, const ConvF32Shape& s, int64_t block) {
  if (y.narrow.empty()) return y.floats;
  std::vector<float> plain;
  const int64_t blocks = CeilDiv(s.out_channels, kNarrowBlock);
  for (int64_t n = 0; n < s.batch; ++n) {
    for (int64_t c = 0; c < s.out_channels; ++c) {
      for (int64_t p = 0; p < s.out_plane(); ++p) {
        const int64_t at = (n * blocks + c / kNarrowBlock) * s.out_plane() + p;
        plain.push_back(
            BFloat16ToFloat(y.narrow[at * kNarrowBlock + c % kNarrowBlock]));
      }
    }
  }
  return Blocked(plain, s.batch, s.out_channels, block);
}

std::vector<float> Got(const Problem& p, const ConvBlockedBf16Kernel& kernel,
                       int threads, ConvForms forms = {}) {
  const ConvF32Shape& s = p.shape;
  if (forms.residual == ConvForm::kNone) forms.residual = ConvForm::kBlocked;
  const int64_t block = BlockOf(kernel);
  if (kernel.f32 && kernel.f32->input == ImageLayout::kPlain) {
    forms.x = ConvForm::kPlain;
  }
  Image x(p.x, s.batch, s.in_channels, forms.x, block);
  Image residual(p.residual, s.batch, s.out_channels, forms.residual, block);
  Image y(std::vector<float>(s.batch * s.out_channels * s.out_plane(), 9.0f),
          s.batch, s.out_channels, forms.y, block);
  std::vector<float> bias = p.bias;
  bias.resize(RoundUp(s.out_channels, kNarrowBlock));
  ThreadPool pool(threads);
  std::vector<uint16_t> packed(
      ConvBlockedBf16PackedBytes(kernel, s, forms.x) / 2, 999);
  ConvBlockedBf16Pack(kernel, s, forms.x, p.w.data(), packed.data(), &pool);
  std::vector<float> scratch(
      ConvBlockedBf16ScratchBytes(kernel, s, forms.x, threads) / 4 + 1, NAN);
  ConvBf16Args args;
  args.shape = s;
  args.forms = forms;
  args.x = x.data();
  args.bias = bias.data();
  args.residual = residual.data();
  args.act = p.act;
  args.y = y.data();
  args.scratch = scratch.data();
  ConvBlockedBf16(kernel, args, packed.data(), &pool);
  return Wide(y, s, block);
}

// The transforms back multiply what fp16 leaves out of each weight: the largest
// error is a percent of a typical result, see also the test of its mean.
double Tolerance(const ConvBlockedBf16Kernel& kernel, const ConvF32Shape& s) {
  const double terms = std::sqrt(s.group_in() * s.taps() + 16.0);
  const int m =
      kernel.f32 && kernel.f32->winograd ? kernel.f32->winograd->m : 1;
  return (m == 4 ? 1.6e-2 : m == 2 ? 7e-4 : 1e-6) * terms;
}

void CheckKernel(const Problem& p, const ConvBlockedBf16Kernel& kernel) {
  const ConvF32Shape& s = p.shape;
  SCOPED_TRACE(testing::Message()
               << NameOf(kernel) << ": " << s.in_channels << "->"
               << s.out_channels << " @" << s.in_h << "x" << s.in_w << " k"
               << s.kernel_h << "x" << s.kernel_w << " s" << s.stride_w << " g"
               << s.groups);
  const std::vector<float> want = Want(p, kernel);
  const std::vector<float> one = Got(p, kernel, 1);
  ExpectClose(one, want, Tolerance(kernel, s));
  ExpectClose(Got(p, kernel, 3), want, Tolerance(kernel, s));
}

// As CheckKernel with images in these forms; a narrow residual and y are
// rounded.
void CheckForms(const Problem& p, const ConvBlockedBf16Kernel& kernel,
                const ConvForms& forms) {
  if (!ConvTilesSupport(p.shape, forms)) return;
  SCOPED_TRACE(testing::Message()
               << NameOf(kernel) << ": forms " << static_cast<int>(forms.x)
               << static_cast<int>(forms.residual) << static_cast<int>(forms.y)
               << " " << p.shape.in_channels << "->" << p.shape.out_channels
               << " @" << p.shape.in_h << " k" << p.shape.kernel_h << " s"
               << p.shape.stride_w);
  Problem rounded(p);
  rounded.wants.clear();
  if (forms.residual == ConvForm::kNarrow) {
    rounded.residual = Rounded(p.residual);
  }
  std::vector<float> want = Want(rounded, kernel);
  const double step = forms.y == ConvForm::kNarrow ? 1.0 / 256 : 0;
  const double tolerance = Tolerance(kernel, p.shape);
  for (int threads : {1, 3}) {
    const std::vector<float> got = Got(p, kernel, threads, forms);
    ASSERT_EQ(got.size(), want.size());
    for (size_t i = 0; i < want.size(); ++i) {
      ASSERT_NEAR(got[i], want[i], tolerance + step * std::fabs(want[i])) << i;
    }
  }
}

void CheckAllForms(const Problem& p, const ConvBlockedBf16Kernel& kernel) {
  using enum ConvForm;
  for (ConvForm x : {kPlain, kBlocked, kNarrow}) {
    for (ConvForm y : {kBlocked, kNarrow}) {
      CheckForms(p, kernel, {x, p.residual.empty() ? kNone : y, y});
    }
  }
  if (!p.residual.empty()) {
    CheckForms(p, kernel, {kNarrow, kNarrow, kBlocked});
    CheckForms(p, kernel, {kNarrow, kBlocked, kNarrow});
  }
}

void CheckShape(const ConvF32Shape& s, Activation act = {},
                bool residual = false) {
  const Problem p(s, act, residual);
  CheckAllForms(p, kEmulatedAmx);
#if defined(__x86_64__)
  if (DetectIsa() >= Isa::kBf16) {
    CheckAllForms(p, {nullptr, &kConvTileCodeDot});
  }
#endif
  for (const ConvBlockedF32Kernel& kernel : ConvBlockedF32Table()) {
    if (!TakesNarrowWeights(kernel) || !RunsHere(kernel) ||
        !kernel.supports(kernel, s)) {
      continue;
    }
    CheckKernel(p, {&kernel, nullptr});
  }
}

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
  s.in_h = s.in_w = size;
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

ConvF32Shape Batch(ConvF32Shape s, int64_t batch) {
  s.batch = batch;
  return s;
}

TEST(ConvBlockedBf16, MultipliesPointwise) {
  for (int64_t in : {1, 15, 17, 33, 48}) {
    for (int64_t out : {1, 16, 24, 80}) CheckShape(Square(in, out, 7, 1, 1, 0));
  }
  CheckShape(Square(70, 50, 19, 1, 1, 0));
  CheckShape(Square(300, 40, 7, 1, 1, 0));
}

TEST(ConvBlockedBf16, SamplesPointwiseOfAnyStride) {
  for (int64_t stride : {2, 3}) {
    CheckShape(Square(16, 24, 14, 1, stride, 0));
    CheckShape(Square(20, 48, 13, 1, stride, 1));
  }
}

TEST(ConvBlockedBf16, ConvolvesChannelsAroundTheTile) {
  for (int64_t in : {1, 3, 16, 17, 32, 33}) {
    for (int64_t out : {3, 17, 48}) CheckShape(Square(in, out, 9, 3, 1, 1));
  }
}

TEST(ConvBlockedBf16, ConvolvesAnyKernelStrideAndWidth) {
  for (int64_t size : {5, 14, 18}) {
    for (int64_t stride : {1, 2, 3}) {
      CheckShape(Square(17, 33, size, 3, stride, 1));
      CheckShape(Square(3, 10, size, 5, stride, 2));
    }
  }
  CheckShape(Square(3, 40, 32, 7, 2, 3));
}

TEST(ConvBlockedBf16, SplitsManyChannelsAndRows) {
  CheckShape(Square(130, 17, 9, 3, 1, 1));
  CheckShape(Square(256, 9, 16, 3, 1, 1));
}

TEST(ConvBlockedBf16, HandlesUnequalAxesAndDilation) {
  ConvF32Shape s;
  s.batch = 2;
  s.in_channels = 12;
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
  s.in_channels = 37;
  CheckShape(s);
}

TEST(ConvBlockedBf16, PaddingMayExceedTheImage) {
  CheckShape(Square(2, 3, 3, 3, 1, 6));
  CheckShape(Square(40, 3, 3, 3, 2, 6));
}

TEST(ConvBlockedBf16, IgnoresPixelsPastTheLastWindow) {
  ConvF32Shape s = Square(16, 16, 12, 1, 1, 0);
  s.out_h = 9;
  s.out_w = 8;
  CheckShape(s);
}

TEST(ConvBlockedBf16, KeepsGroupsAndDepthwiseApart) {
  CheckShape(Grouped(Square(64, 32, 10, 3, 1, 1), 2));
  CheckShape(Grouped(Square(24, 24, 17, 3, 2, 1), 24));
  CheckShape(Batch(Grouped(Square(5, 5, 7, 5, 1, 2), 5), 2));
}

TEST(ConvBlockedBf16, RunsEachImageOfABatch) {
  CheckShape(Batch(Square(5, 9, 8, 3, 1, 1), 3));
  CheckShape(Batch(Square(20, 40, 6, 1, 1, 0), 3));
}

TEST(ConvBlockedBf16, AddsResidualAppliesActivationAndKeepsZeros) {
  for (int curve = 0; curve < kCurves; ++curve) {
    const Activation act = Activation::Of(static_cast<Curve>(curve));
    CheckShape(Square(18, 20, 8, 3, 1, 1), act, true);
    CheckShape(Square(18, 20, 8, 1, 1, 0), act);
  }
  CheckShape(Square(40, 24, 8, 3, 1, 1), Activation::Relu(), true);
  CheckShape(Square(40, 33, 6, 1, 1, 0), Activation::Relu(), true);
  CheckShape(Square(8, 9, 8, 3, 1, 1), Activation::Clip(0.25f, 0.5f));
}

TEST(ConvBlockedBf16, KeepsTinyAndLargeWeights) {
  for (float factor : {1e-9f, 1e5f}) {
    Problem p(Square(32, 32, 12, 3, 1, 1), {}, false);
    for (float& w : p.w) w *= factor;
    for (float& b : p.bias) b = 0;
    for (const ConvBlockedF32Kernel& kernel : ConvBlockedF32Table()) {
      if (!TakesNarrowWeights(kernel) || !RunsHere(kernel) ||
          !kernel.supports(kernel, p.shape)) {
        continue;
      }
      std::vector<float> got = Got(p, {&kernel, nullptr}, 1);
      std::vector<float> want = Want(p, {&kernel, nullptr});
      for (float& v : got) v /= factor;
      for (float& v : want) v /= factor;
      SCOPED_TRACE(kernel.name);
      ExpectClose(got, want, Tolerance({&kernel, nullptr}, p.shape));
    }
  }
}

// The relative error of the whole image against weights that are not rounded.
double MeanError(const std::vector<float>& got,
                 const std::vector<float>& want) {
  double error = 0, size = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    error += std::pow(static_cast<double>(got[i]) - want[i], 2);
    size += std::pow(static_cast<double>(want[i]), 2);
  }
  return std::sqrt(error / size);
}

// 1.77 times as much for m = 4 here; rounding x as well would make 1.41.
TEST(ConvBlockedBf16, WinogradAddsLittleToTheRoundingOfWeights) {
  const Problem p(Square(64, 32, 16, 3, 1, 1), {}, false);
  for (const ConvBlockedF32Kernel& kernel : ConvBlockedF32Table()) {
    if (!RunsHere(kernel) || !kernel.winograd) continue;
    Call exact(p, kernel.block, false);
    exact.args.w = p.w.data();
    ReferenceConvBlockedF32(exact.args, kernel.block);
    const double error = MeanError(Got(p, {&kernel, nullptr}, 1), exact.y);
    const double rounding = MeanError(Want(p, {&kernel, nullptr}), exact.y);
    EXPECT_GT(rounding, 0.001);
    EXPECT_LT(error, 2 * rounding) << kernel.name;
  }
}

TEST(ConvBlockedBf16, WeightsTakeHalfTheBytes) {
  const ConvF32Shape s = Square(64, 64, 14, 3, 1, 1);
  for (const ConvBlockedF32Kernel& kernel : ConvBlockedF32Table()) {
    if (!TakesNarrowWeights(kernel) || !kernel.supports(kernel, s)) continue;
    EXPECT_EQ(NarrowPackedBytes(kernel, s),
              kernel.packed_bytes(kernel, s) / 2 + 64)
        << kernel.name;
  }
  EXPECT_EQ(ConvTilesPackedBytes(s, ConvForm::kBlocked), 64 * 64 * 9 * 2);
}

TEST(ConvBlockedBf16, PicksTilesOnlyWhereTheyMayRun) {
  const ConvF32Shape s = Square(64, 64, 14, 3, 1, 1);
  const auto vnni = PickConvBlockedBf16(s, {}, Isa::kVnni);
  EXPECT_EQ(vnni.tiles, nullptr);
  EXPECT_NE(vnni.f32, nullptr);
#if defined(__x86_64__)
  EXPECT_EQ(PickConvBlockedBf16(s, {}, Isa::kBf16).tiles, &kConvTileCodeDot);
  EXPECT_EQ(PickConvBlockedBf16(s, {}, Isa::kAmx).tiles, &kConvTileCodeAmx);
#endif
  const auto grouped = PickConvBlockedBf16(Grouped(s, 64), {}, Isa::kAmx);
  EXPECT_EQ(grouped.tiles, nullptr);
}

TEST(ConvBlockedBf16, PrefersF32WhereVectorsOfBf16GainNothing) {
  const ConvForm x = ConvForm::kBlocked;
  const ConvF32Shape large = Square(64, 64, 56, 3, 1, 1);
  EXPECT_TRUE(ConvPrefersF32(large, x, Isa::kBf16));
  EXPECT_FALSE(ConvPrefersF32(large, x, Isa::kAmx));
  EXPECT_FALSE(ConvPrefersF32(large, x, Isa::kVnni));
  EXPECT_FALSE(ConvPrefersF32(Square(512, 512, 7, 3, 1, 1), x, Isa::kBf16));
  EXPECT_FALSE(ConvPrefersF32(Square(64, 256, 56, 1, 1, 0), x, Isa::kBf16));
  EXPECT_TRUE(ConvPrefersF32(Square(16, 96, 112, 1, 1, 0), x, Isa::kBf16));
  EXPECT_TRUE(ConvPrefersF32(Square(3, 32, 224, 3, 2, 1), ConvForm::kPlain,
                             Isa::kBf16));
  EXPECT_EQ(PickConvBlockedBf16(large, {}, Isa::kBf16).tiles, nullptr);
}

TEST(ConvBlockedBf16, PicksNothingForNarrowImagesThatItCannotRead) {
  using enum ConvForm;
  const ConvF32Shape s = Square(64, 64, 14, 3, 1, 1);
  const ConvForms narrow{kNarrow, kNone, kNarrow};
  EXPECT_EQ(PickConvBlockedBf16(s, narrow, Isa::kVnni),
            ConvBlockedBf16Kernel{});
  EXPECT_EQ(PickConvBlockedBf16(Grouped(s, 2), narrow, Isa::kAmx),
            ConvBlockedBf16Kernel{});
  EXPECT_EQ(PickConvBlockedBf16(Grouped(s, 64), {kNarrow, kNone, kBlocked},
                                Isa::kAmx),
            ConvBlockedBf16Kernel{});
}

#if defined(__x86_64__)
TEST(ConvBlockedBf16, AmxCodeComputesWhatItsEmulationDoes) {
  if (DetectIsa() < Isa::kVnni || !__builtin_cpu_supports("avx512bf16")) {
    GTEST_SKIP() << "needs AVX-512 with VNNI and BF16";
  }
  const TrappedTiles tiles;
  const ConvBlockedBf16Kernel amx =
      PickConvBlockedBf16(Square(3, 3, 3, 3, 1, 1), {}, Isa::kAmx);
  ASSERT_EQ(amx.tiles, &kConvTileCodeAmx);
  for (const ConvF32Shape& s :
       {Square(17, 33, 17, 3, 2, 1), Square(16, 20, 9, 3, 1, 1),
        Square(40, 70, 7, 1, 1, 0), Batch(Square(48, 16, 14, 5, 1, 2), 2),
        Square(3, 40, 23, 7, 2, 3), Grouped(Square(40, 40, 19, 3, 1, 1), 40),
        Grouped(Square(40, 40, 19, 5, 2, 2), 40)}) {
    const Problem p(s, Activation::Relu(), true);
    CheckAllForms(p, amx);
    if (s.groups > 1) continue;
    ExpectClose(Got(p, amx, 2), Got(p, kEmulatedAmx, 1), 1e-5);
  }
}
#endif

}  // namespace
}  // namespace stint
