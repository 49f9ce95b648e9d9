#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "core/base/checked_math.h"
#include "core/base/random.h"
#include "core/platform/thread_pool.h"
#include "core/testing/isa_variants.h"
#include "kernels/conv_s8/conv_s8_table.h"
#include "kernels/conv_s8/lanes_generic.h"
#include "kernels/conv_s8/sparse.h"
#include "kernels/conv_s8/tile_registers.h"
#include "kernels/conv_s8/winograd.h"
#include "kernels/simd/curves.h"
#include "kernels/testing/emulated_tiles.h"
#include "kernels/testing/rotation.h"
#include "kernels/testing/trapped_tiles.h"

namespace stint {
namespace {

struct Case {
  int64_t in = 16;
  int64_t out = 16;
  int64_t size = 7;
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t pad = 0;
  int64_t groups = 1;
  int64_t dilation = 1;
  int64_t batch = 1;
  bool residual = false;
  Curve curve = Curve::kNone;
  bool pieces = false;  // the curve by its table
  float leak = 1;

  ConvF32Shape Shape() const {
    ConvF32Shape s;
    s.batch = batch;
    s.groups = groups;
    s.in_channels = in;
    s.out_channels = out;
    s.in_h = size;
    s.in_w = size + 1;
    s.kernel_h = s.kernel_w = kernel;
    s.stride_h = s.stride_w = stride;
    s.dilation_h = s.dilation_w = dilation;
    s.pad_top = s.pad_left = pad;
    const int64_t window = (kernel - 1) * dilation + 1;
    s.out_h = (s.in_h + 2 * pad - window) / stride + 1;
    s.out_w = (s.in_w + 2 * pad - window) / stride + 1;
    return s;
  }
};

// As images are stored: the 4 bytes of a product, or whole vectors.
int64_t Stored(int64_t channels) {
  return channels <= 4 ? 4 : RoundUp(channels, 16);
}

// Random bytes, extreme ones among them.
template <class T>
std::vector<T> RandomBytes(int64_t count, uint64_t seed) {
  Random random(seed);
  std::vector<T> values(static_cast<size_t>(count));
  for (T& v : values) {
    const int64_t x = random.NextInt(300);
    v = static_cast<T>(x < 256 ? x : x < 278 ? 255 : 128);
  }
  return values;
}

struct Operands {
  explicit Operands(const Case& c)
      : shape(c.Shape()),
        x_pixel(Stored(c.in)),
        y_pixel(Stored(c.out)),
        pixels(shape.batch * shape.out_plane()),
        x(RandomBytes<uint8_t>(shape.batch * shape.in_plane() * x_pixel, 1)),
        w(RandomBytes<int8_t>(c.out * shape.group_in() * shape.taps(), 2)),
        residual(RandomBytes<uint8_t>(pixels * y_pixel, 3)),
        bias(static_cast<size_t>(c.out)),
        multiplier(static_cast<size_t>(c.out)) {
    Random random(4);
    // About half of the results are within a byte.
    const double spread =
        70 * 128 *
        std::sqrt(static_cast<double>(shape.group_in() * shape.taps()));
    const int64_t per_channel = shape.group_in() * shape.taps();
    for (int64_t o = 0; o < c.out; ++o) {
      // Bytes are around 130.
      bias[o] = static_cast<int32_t>(random.NextInt(20001)) - 10000;
      for (int64_t i = 0; i < per_channel; ++i) {
        bias[o] -= 130 * w[o * per_channel + i];
      }
      multiplier[o] =
          static_cast<float>((0.5 + random.NextDouble()) * 200 / spread);
    }
    args.shape = shape;
    args.x = x.data();
    args.x_pixel = x_pixel;
    args.x_zero = 77;
    args.residual = c.residual ? residual.data() : nullptr;
    args.y_pixel = y_pixel;
    args.out.r_scale = 0.37f;
    args.out.r_zero = 100;
    args.out.zero = 90;
    args.out.leak = c.leak;
    args.out.lo = 3;
    args.out.hi = 240;
    if (c.curve != Curve::kNone) {
      for (float& m : multiplier) m *= 0.05f;
      args.out.r_scale *= 0.05f;
      args.out.act = Activation::Of(c.curve);
      args.out.inverse = 20;
      if (c.pieces) args.out.table = CurveTableOf(c.curve);
    }
  }

  // y of the real channels, and what is past the last image.
  std::vector<uint8_t> Run(const ConvS8Kernel& kernel, ThreadPool* pool) {
    std::vector<int8_t> packed(
        static_cast<size_t>(kernel.packed_bytes(kernel, shape, x_pixel)) + 64);
    int8_t* aligned = Aligned(packed.data());
    kernel.pack(kernel, shape,
                {w.data(), bias.data(), multiplier.data(), x_pixel}, aligned);
    std::vector<uint8_t> scratch(static_cast<size_t>(kernel.scratch_bytes(
                                     kernel, shape, x_pixel, pool->threads())) +
                                 64);
    std::vector<uint8_t> y(static_cast<size_t>(pixels * y_pixel) + 64, 55);
    args.w = aligned;
    args.scratch = Aligned(scratch.data());
    args.y = y.data();
    kernel.run(kernel, args, pool);
    std::vector<uint8_t> real;
    for (int64_t p = 0; p < pixels; ++p) {
      for (int64_t o = 0; o < shape.out_channels; ++o) {
        real.push_back(y[p * y_pixel + o]);
      }
    }
    real.insert(real.end(), y.end() - 64, y.end());
    return real;
  }

  ConvF32Shape shape;
  int64_t x_pixel;
  int64_t y_pixel;
  int64_t pixels;
  std::vector<uint8_t> x;
  std::vector<int8_t> w;
  std::vector<uint8_t> residual;
  std::vector<int32_t> bias;
  std::vector<float> multiplier;
  ConvS8Args args;
};

// The code of the AMX row on tile registers in memory, for any window of one
// group.
constexpr ConvS8TileSet kEmulatedSet = {
    16, 4, RunConvS8TileRegisters<EmulatedTiles, ConvGenericS8>, 16, 1024};

ConvS8Kernel EmulatedAmx() {
  ConvS8Kernel kernel = ConvS8Table()[ConvS8Table().size() - 2];
  kernel.name = "emulated_amx";
  kernel.supports = [](const ConvF32Shape& s) { return s.groups == 1; };
  kernel.tiles = &kEmulatedSet;
  return kernel;
}

// The kernel on one and two threads; results may differ by `slack`.
void CheckKernel(const ConvS8Kernel& kernel, Operands* operands,
                 const std::vector<uint8_t>& want, int slack) {
  if (!kernel.supports(operands->shape)) return;
  for (int threads : {1, 2}) {
    ThreadPool pool(threads);
    const std::vector<uint8_t> got = operands->Run(kernel, &pool);
    ASSERT_EQ(got.size(), want.size());
    for (size_t i = 0; i < got.size(); ++i) {
      ASSERT_LE(std::abs(got[i] - want[i]), slack)
          << kernel.name << " at " << i << ": " << int{got[i]} << ", want "
          << int{want[i]};
    }
  }
}

// Every row of the table that runs here; results may differ from the reference
// by `slack`.
void CheckTable(const Case& c, int slack = 0) {
  Operands operands(c);
  ThreadPool one(1);
  const std::vector<uint8_t> want = operands.Run(ConvS8Table().back(), &one);
  const auto inside = std::count_if(want.begin(), want.end(),
                                    [](uint8_t q) { return q > 3 && q < 240; });
  ASSERT_GT(inside, static_cast<int64_t>(want.size()) / 4);
  for (const ConvS8Kernel& kernel : ConvS8Table()) {
    if (!RunsHere(kernel)) continue;
    CheckKernel(kernel, &operands, want, slack);
  }
  for (const ConvS8Kernel& kernel : ConvS8SparseTable()) {
    if (!RunsHere(kernel)) continue;
    CheckKernel(kernel, &operands, want, slack);
  }
  for (const ConvS8Kernel& kernel : ConvS8WinogradTable()) {
    if (!RunsHere(kernel) || !kernel.supports(operands.shape)) continue;
    ASSERT_TRUE(WinogradS8Fits(operands.shape, operands.w.data()));
    CheckKernel(kernel, &operands, want, slack);
  }
  CheckKernel(EmulatedAmx(), &operands, want, slack);
}

// Keeps one group of 4 input channels in `keep`; the rest becomes 0.
void Thin(const ConvF32Shape& s, int64_t keep, std::vector<int8_t>* w) {
  for (size_t i = 0; i < w->size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    const int64_t tap = at % s.taps();
    const int64_t channel = at / s.taps() % s.in_channels;
    const int64_t o = at / (s.taps() * s.in_channels);
    const int64_t group = (o * s.taps() + tap) * 1031 + channel / 4;
    if (group * 2654435761 % keep != 0) (*w)[i] = 0;
  }
}

TEST(ConvS8, GroupsOfZerosAreSkipped) {
  for (const Case& c :
       {Case{.in = 64, .out = 40, .size = 9, .kernel = 3, .pad = 1},
        Case{.in = 30,
        .out = 17,
        .size = 12,
        .kernel = 3,
        .stride = 2,
        .pad = 1,
        .batch = 2,
        .residual = true}}) {
    Operands operands(c);
    Thin(operands.shape, 10, &operands.w);
    ThreadPool one(1);
    const auto want = operands.Run(ConvS8Table().back(), &one);
    const double share = SparseS8Share(operands.shape, operands.w.data());
    EXPECT_NEAR(share, 0.1, 0.05);
    for (const ConvS8Kernel& kernel : ConvS8SparseTable()) {
      if (!RunsHere(kernel)) continue;
      CheckKernel(kernel, &operands, want, 0);
    }
  }
}

TEST(ConvS8, PackedGroupsAreCheckedBeforeTheyAreUsed) {
  const Case c{.in = 16, .out = 8, .kernel = 3, .pad = 1};
  Operands operands(c);
  Thin(operands.shape, 4, &operands.w);
  const ConvS8Kernel& kernel = ConvS8SparseTable().back();
  std::vector<int8_t> packed(
      static_cast<size_t>(SparseS8PackedBytes(kernel, operands.shape, 16)));
  kernel.pack(
      kernel, operands.shape,
      {operands.w.data(), operands.bias.data(), operands.multiplier.data(), 16},
      packed.data());
  const int64_t used = SparseS8UsedBytes(operands.shape, packed.data());
  EXPECT_LT(used, std::ssize(packed) / 2);
  EXPECT_TRUE(IsSparseS8(operands.shape, packed.data(), used));
  EXPECT_FALSE(IsSparseS8(operands.shape, packed.data(), used - 8));
  EXPECT_FALSE(IsSparseS8(operands.shape, packed.data(), 40));
  auto* last = reinterpret_cast<int32_t*>(packed.data() + used - 8);
  *last = 4 * 9;
  EXPECT_FALSE(IsSparseS8(operands.shape, packed.data(), used));
}

TEST(ConvS8, PointwiseMatchesReferenceAroundTheTile) {
  for (int64_t in : {4, 16, 20, 64}) {
    for (int64_t out : {1, 16, 24, 48, 64, 80, 144}) {
      SCOPED_TRACE(std::to_string(in) + " to " + std::to_string(out));
      CheckTable({.in = in, .out = out, .size = 5});
    }
  }
}

TEST(ConvS8, FewOutputsMatchReference) {
  for (int64_t out : {1, 3, 4, 7, 8}) {
    for (int64_t size : {1, 3, 8}) {
      SCOPED_TRACE(std::to_string(out) + " on " + std::to_string(size));
      CheckTable({.in = 16, .out = out, .size = size, .batch = 2});
      CheckTable({.in = 20,
                  .out = out,
                  .size = size,
                  .kernel = 3,
                  .pad = 1,
                  .residual = true});
      CheckTable({.in = 3, .out = out, .size = size, .kernel = 3, .pad = 1});
    }
  }
}

struct Tie {
  int32_t sum = 0;
  float multiplier = 0;
  float r_scale = 0;
};
constexpr int kAboveZero = 37;  // the residual, by so much

// Numbers whose result is another byte when one of the two products (the sum's,
// or the residual's) is not rounded before they are added.
Tie FindTie(bool of_sum) {
  Random random(5);
  for (int i = 0; i < 50'000'000; ++i) {
    Tie tie;
    tie.sum = static_cast<int32_t>(random.NextInt(100'000));
    tie.multiplier = static_cast<float>(random.NextDouble() * 1e-3);
    tie.r_scale = static_cast<float>(random.NextDouble() * 0.1);
    const auto sum = static_cast<float>(tie.sum);
    volatile float product = sum * tie.multiplier;
    volatile float part = float{kAboveZero} * tie.r_scale;
    volatile float apart = product + part;
    const float together =
        of_sum ? std::fma(sum, tie.multiplier, part)
               : std::fma(float{kAboveZero}, tie.r_scale, product);
    if (std::nearbyint(apart) != std::nearbyint(together)) return tie;
  }
  ADD_FAILURE() << "no tie found";
  return {};
}

TEST(ConvS8, ProductAndResidualAreRoundedApart) {
  for (bool of_sum : {false, true}) {
    const Tie tie = FindTie(of_sum);
    Operands operands({.in = 16, .out = 8, .size = 3, .residual = true});
    std::fill(operands.w.begin(), operands.w.end(), 0);
    std::fill(operands.bias.begin(), operands.bias.end(), tie.sum);
    std::fill(operands.multiplier.begin(), operands.multiplier.end(),
              tie.multiplier);
    std::fill(operands.residual.begin(), operands.residual.end(),
              operands.args.out.r_zero + kAboveZero);
    operands.args.out.r_scale = tie.r_scale;
    ThreadPool one(1);
    const auto want = operands.Run(ConvS8Table().back(), &one);
    for (const auto& table :
         {ConvS8Table(), ConvS8SparseTable(), ConvS8WinogradTable()}) {
      for (const ConvS8Kernel& kernel : table) {
        if (RunsHere(kernel)) CheckKernel(kernel, &operands, want, 0);
      }
    }
  }
}

TEST(ConvS8, EveryNumberOfPixelsMatchesReference) {
  for (int64_t size = 1; size < 6; ++size) {
    SCOPED_TRACE(size);
    CheckTable({.in = 16, .out = 64, .size = size, .batch = 2});
    CheckTable({.in = 32, .out = 48, .size = size, .kernel = 3, .pad = 1});
  }
}

TEST(ConvS8, WindowsMatchReference) {
  for (int64_t kernel : {2, 3, 5, 7}) {
    for (int64_t stride : {1, 2, 3}) {
      for (int64_t pad : {int64_t{0}, kernel / 2}) {
        SCOPED_TRACE(std::to_string(kernel) + " stride " +
                     std::to_string(stride) + " pad " + std::to_string(pad));
        CheckTable({.in = 16,
                    .out = 20,
                    .size = 9,
                    .kernel = kernel,
                    .stride = stride,
                    .pad = pad});
      }
    }
  }
  CheckTable({.in = 24, .out = 16, .kernel = 3, .pad = 1});
  CheckTable({.in = 32, .size = 9, .kernel = 3, .pad = 2, .dilation = 2});
}

TEST(ConvS8, WinogradMatchesReferenceAroundItsTiles) {
  for (int64_t size : {1, 3, 4, 5, 8, 14}) {
    SCOPED_TRACE(size);
    CheckTable({.in = 16, .out = 16, .size = size, .kernel = 3, .pad = 1});
    CheckTable({.in = 32,
                .out = 72,
                .size = size,
                .kernel = 3,
                .pad = 1,
                .batch = 3,
                .residual = true});
  }
  CheckTable({.in = 100, .out = 130, .size = 9, .kernel = 3, .leak = 0.1f});
  CheckTable({.in = 20, .out = 5, .size = 40, .kernel = 3, .pad = 2});
}

// Bytes and weights whose sums are as large as any.
TEST(ConvS8, WinogradIsExactAtTheLimitOfItsSums) {
  Operands operands({.in = 112, .out = 17, .size = 8, .kernel = 3, .pad = 1});
  std::fill(operands.x.begin(), operands.x.end(), uint8_t{255});
  for (size_t i = 0; i < operands.w.size(); ++i) {
    operands.w[i] = i / operands.shape.in_channels / 9 % 2 ? -128 : 127;
  }
  std::fill(operands.multiplier.begin(), operands.multiplier.end(), 3e-6f);
  std::fill(operands.bias.begin(), operands.bias.end(), 12345);
  operands.args.x_zero = 0;
  ASSERT_TRUE(WinogradS8Fits(operands.shape, operands.w.data()));
  ThreadPool one(1);
  const auto want = operands.Run(ConvS8Table().back(), &one);
  for (const ConvS8Kernel& kernel : ConvS8WinogradTable()) {
    if (RunsHere(kernel)) CheckKernel(kernel, &operands, want, 0);
  }
}

TEST(ConvS8, WinogradRefusesSumsThatWouldWrapAround) {
  const Case c{.in = 120, .out = 3, .size = 8, .kernel = 3, .pad = 1};
  std::vector<int8_t> w(3 * 120 * 9, 100);
  EXPECT_TRUE(WinogradS8Fits(c.Shape(), w.data()));
  std::fill(w.end() - 120 * 9, w.end(), int8_t{-128});
  EXPECT_FALSE(WinogradS8Fits(c.Shape(), w.data()));
}

TEST(ConvS8, WinogradPaysForWideLayersOnImagesOfSomeSize) {
  const auto gains = [](int64_t channels, int64_t size, int64_t weights,
                        int threads = 1) {
    ConvF32Shape s =
        Case{.in = channels, .out = channels, .kernel = 3, .pad = 1}.Shape();
    s.in_h = s.in_w = s.out_h = s.out_w = size;
    return WinogradS8Gains(s, {weights, threads});
  };
  constexpr int64_t kSmall = 1'000'000;
  constexpr int64_t kLarge = 20'000'000;
  EXPECT_TRUE(gains(32, 16, kSmall));
  EXPECT_TRUE(gains(64, 8, kSmall));
  EXPECT_TRUE(gains(64, 56, kLarge));
  EXPECT_TRUE(gains(128, 28, kLarge));
  EXPECT_FALSE(gains(16, 32, kSmall));
  EXPECT_FALSE(gains(512, 4, kSmall));  // a tile for 19 MB of weights
  EXPECT_FALSE(gains(64, 8, kLarge));   // which come from memory each time
  EXPECT_FALSE(gains(512, 7, kLarge));
  EXPECT_FALSE(gains(64, 8, kSmall, 2));
  EXPECT_TRUE(gains(64, 56, kLarge, 2));
}

TEST(ConvS8, FirstLayerOfThreeChannelsMatchesReference) {
  CheckTable(
      {.in = 3, .out = 64, .size = 15, .kernel = 7, .stride = 2, .pad = 3});
  CheckTable({.in = 3,
              .out = 32,
              .size = 11,
              .kernel = 3,
              .stride = 2,
              .pad = 1,
              .batch = 2});
  CheckTable({.in = 1, .out = 3, .size = 8, .kernel = 5, .pad = 2});
}

TEST(ConvS8, GroupsMatchReference) {
  CheckTable({.in = 32, .out = 32, .kernel = 3, .pad = 1, .groups = 2});
  CheckTable({.in = 24, .out = 40, .groups = 2, .residual = true});
  CheckTable(
      {.in = 32, .out = 64, .kernel = 3, .stride = 2, .pad = 1, .groups = 8});
}

TEST(ConvS8, DepthwiseMatchesReference) {
  for (int64_t kernel : {3, 4, 5, 7, 9}) {
    for (int64_t stride : {1, 2, 3}) {
      for (int64_t channels : {16, 32, 80, 144}) {
        SCOPED_TRACE(std::to_string(kernel) + " stride " +
                     std::to_string(stride) + " channels " +
                     std::to_string(channels));
        CheckTable({.in = channels,
                    .out = channels,
                    .size = 10,
                    .kernel = kernel,
                    .stride = stride,
                    .pad = kernel / 2,
                    .groups = channels});
      }
    }
  }
  CheckTable({.in = 24,
              .out = 24,
              .kernel = 3,
              .groups = 24,
              .batch = 2,
              .residual = true});
  CheckTable({.in = 70,
              .out = 70,
              .kernel = 3,
              .pad = 2,
              .groups = 70,
              .dilation = 2});
}

TEST(ConvS8, ResidualsMatchReference) {
  CheckTable({.in = 16, .out = 72, .residual = true});
  CheckTable({.in = 16, .out = 3, .kernel = 3, .pad = 1, .residual = true});
}

TEST(ConvS8, LeaksMatchReference) {
  CheckTable({.in = 16, .out = 72, .residual = true, .leak = 0.1f});
  CheckTable({.in = 72, .out = 72, .kernel = 3, .groups = 72, .leak = 0.1f});
}

TEST(ConvS8, CurvesAreWithinOneStepOfReference) {
  for (int curve = 1; curve < kCurves; ++curve) {
    for (bool pieces : {false, true}) {
      SCOPED_TRACE(std::to_string(curve) + (pieces ? " in pieces" : ""));
      Case c{.in = 16, .out = 70, .residual = true};
      c.curve = static_cast<Curve>(curve);
      c.pieces = pieces;
      CheckTable(c, 1);
      c.in = c.groups = 70;
      c.kernel = 3;
      c.pad = 1;
      CheckTable(c, 1);
    }
  }
}

TEST(CurveTable, IsCloseToItsCurve) {
  for (int i = 1; i < kCurves; ++i) {
    const Curve curve = static_cast<Curve>(i);
    const CurveTable* table = CurveTableOf(curve);
    if (table == nullptr) continue;
    for (double x = -30; x < 30; x += 0.01) {
      const double at = x * CurveTable::kSlope + CurveTable::kOffset;
      const int piece = static_cast<int>(std::clamp(at, 0.0, 15.5));
      const double y = table->c[0][piece] +
                       x * (table->c[1][piece] + x * table->c[2][piece]);
      EXPECT_NEAR(y, ReferenceActivation(x, Activation::Of(curve)), 0.006)
          << i << " at " << x;
    }
  }
}

#if defined(__x86_64__)
TEST(ConvS8, AmxCodeMatchesReferenceOnAnyMachine) {
  if (DetectIsa() < Isa::kVnni) GTEST_SKIP() << "needs AVX-512 and VNNI";
  const TrappedTiles tiles;
  const ConvS8Kernel& amx = ConvS8Table().front();
  ASSERT_STREQ(amx.name, "tiles_amx");
  for (const Case& c :
       {Case{.in = 64, .out = 80, .residual = true},
        Case{.in = 100, .out = 40, .size = 9, .batch = 2},
        Case{.in = 48, .out = 20, .kernel = 3, .stride = 2, .pad = 1},
        Case{.in = 3, .out = 33, .size = 40, .kernel = 5, .pad = 2}}) {
    Operands operands(c);
    ASSERT_TRUE(amx.supports(operands.shape));
    ThreadPool one(1);
    CheckKernel(amx, &operands, operands.Run(ConvS8Table().back(), &one), 0);
  }
}

TEST(ConvS8, PicksTileRegistersOnlyWhereTheyMayRunAndPay) {
  const auto pick = [](const Case& c, Isa isa) {
    return PickConvS8(c.Shape(), isa).isa;
  };
  EXPECT_EQ(pick({.in = 64}, Isa::kAmx), Isa::kAmx);
  EXPECT_EQ(pick({.in = 64}, Isa::kVnni), Isa::kVnni);
  EXPECT_EQ(pick({.in = 32}, Isa::kAmx), Isa::kVnni);
  EXPECT_EQ(pick({.in = 64, .size = 1}, Isa::kAmx), Isa::kVnni);
  EXPECT_EQ(pick({.in = 64, .out = 64, .groups = 64}, Isa::kAmx), Isa::kVnni);
}
#endif

TEST(ConvS8, BandsOfALargeImageMatchReference) {
  CheckTable({.in = 64, .out = 4, .size = 72, .kernel = 3, .pad = 1});
  CheckTable({.in = 96,
              .out = 96,
              .size = 40,
              .kernel = 3,
              .stride = 2,
              .pad = 1,
              .groups = 96});
}

}  // namespace
}  // namespace stint
