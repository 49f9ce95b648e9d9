#include <gtest/gtest.h>

#include <cstdlib>

#include "engine/testing/kernel_case.h"

namespace stint {
namespace {

Tensor Bytes(const Shape& shape, uint64_t seed) {
  Random random(seed);
  Tensor tensor = Tensor::Allocate(DType::kUInt8, shape).value();
  for (int64_t i = 0; i < tensor.size(); ++i) {
    tensor.data<uint8_t>()[i] = static_cast<uint8_t>(random.NextInt(256));
  }
  return tensor;
}

Tensor Floats(const Shape& shape, uint64_t seed) {
  Tensor tensor = Tensor::Allocate(DType::kFloat32, shape).value();
  const std::vector<float> values = RandomFloats(tensor.size(), seed);
  std::copy(values.begin(), values.end(), tensor.data<float>());
  return tensor;
}

// Runs `op` by its fast kernel on every ISA and by its reference: bytes are
// within one step, floats within 1e-4. Only the first `channels` of 16 are
// compared in bytes; 0 means all. Inputs from 1 on are constants.
void ExpectFastIsClose(const Op& op, const std::vector<Tensor>& inputs,
                       int64_t channels = 0) {
  std::vector<Value> values(inputs.begin(), inputs.end());
  std::vector<ValueType> types;
  for (const Tensor& in : inputs) {
    types.push_back(in.raw() ? ValueType::Of(in) : ValueType{});
  }
  std::vector<InferContext::Input> list;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].raw()) {
      list.push_back({});
    } else {
      list.push_back({&types[i], i > 0 ? &inputs[i] : nullptr});
    }
  }
  InferContext inferred(std::move(list), 1);
  const Status status = InferTypes(op, inferred);
  ASSERT_TRUE(status.ok()) << status.message();
  const ValueType& type = inferred.outputs()[0];
  ThreadPool pool(2);
  const auto context = [&] {
    EvalContext ctx(inputs.size(), 1, &pool);
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i].raw()) ctx.SetInput(static_cast<int>(i), &values[i]);
    }
    EXPECT_TRUE(ctx.Allocate(0, type.dtype, type.dims).ok());
    return ctx;
  };
  EvalContext want = context();
  ASSERT_TRUE(Evaluate(op, want).ok());
  for (Isa isa : IsasHere()) {
    SCOPED_TRACE(IsaName(isa));
    EvalContext got = context();
    auto kernel = MakeFastKernel(op, inferred, {isa, 2, Precision::kInt8});
    ASSERT_TRUE(kernel.ok());
    ASSERT_TRUE(RunOnce(kernel->get(), &got).ok());
    for (int64_t i = 0; i < got.out(0).size(); ++i) {
      if (type.dtype == DType::kFloat32) {
        ASSERT_NEAR(got.out(0).data<float>()[i], want.out(0).data<float>()[i],
                    1e-4);
      } else if (channels == 0 || i % type.dims[3] < channels) {
        ASSERT_LE(std::abs(got.out(0).data<uint8_t>()[i] -
                           want.out(0).data<uint8_t>()[i]),
                  1)
            << "at " << i;
      }
    }
  }
}

QuantizedConv Conv(int64_t kernel, int64_t group) {
  QuantizedConv op;
  op.pads = std::vector<int64_t>(4, kernel / 2);
  op.group = group;
  op.x_scale = 0.02f;
  op.x_zero = 120;
  op.y_scale = 0.05f * static_cast<float>(kernel);
  op.y_zero = 100;
  op.r_scale = 0.03f;
  op.r_zero = 128;
  return op;
}

TEST(QuantizedConv, MatchesReferenceWithWeightsAsTheyAreStored) {
  ExpectFastIsClose(
      Conv(3, 1),
      {Bytes({2, 5, 6, 32}, 1), Floats({20, 32, 3, 3}, 2), Floats({20}, 3)},
      20);
  ExpectFastIsClose(Conv(3, 1),
                    {Bytes({1, 16, 13, 64}, 1), Floats({64, 60, 3, 3}, 2),
                     Floats({64}, 3), Bytes({1, 16, 13, 64}, 4)});
  ExpectFastIsClose(Conv(5, 16),
                    {Bytes({1, 9, 7, 16}, 1), Floats({16, 1, 5, 5}, 2)});
  ExpectFastIsClose(
      Conv(1, 1), {Bytes({1, 4, 4, 16}, 1), Floats({16, 10, 1, 1}, 2), Tensor(),
                   Bytes({1, 4, 4, 16}, 4)});
}

TEST(QuantizedConv, ClampsAndCurvesMatchReference) {
  for (const char* activation : {"none", "silu", "hard_swish", "sigmoid"}) {
    QuantizedConv op = Conv(3, 1);
    op.activation = activation;
    op.lo = 0;
    op.hi = 6;
    op.y_zero = 0;
    ExpectFastIsClose(op, {Bytes({1, 5, 5, 16}, 1), Floats({16, 16, 3, 3}, 2),
                           Floats({16}, 3), Bytes({1, 5, 5, 16}, 4)});
  }
}

TEST(QuantizedConv, LeaksMatchReference) {
  QuantizedConv op = Conv(3, 1);
  op.leak = 0.1f;
  ExpectFastIsClose(op, {Bytes({1, 5, 5, 16}, 1), Floats({16, 16, 3, 3}, 2)});
}

TEST(QuantizedConv, UsesTheScalesThatItIsGiven) {
  Tensor scales = Floats({16}, 5);
  for (int64_t i = 0; i < 16; ++i) scales.data<float>()[i] = 0.013f;
  ExpectFastIsClose(
      Conv(1, 1), {Bytes({1, 4, 4, 16}, 1), Floats({16, 16, 1, 1}, 2), Tensor(),
                   Tensor(), scales});
}

// One group of 4 input channels in 8 is not 0.
Tensor Thin(Tensor w) {
  const int64_t taps = w.dim(2) * w.dim(3);
  for (int64_t i = 0; i < w.size(); ++i) {
    const int64_t group = i / taps / 4 * taps + i % taps;
    if (group * 2654435761 % 8 != 0) w.data<float>()[i] = 0;
  }
  return w;
}

TEST(QuantizedConv, SkipsGroupsOfZeros) {
  const Tensor w = Thin(Floats({24, 32, 3, 3}, 2));
  ExpectFastIsClose(Conv(3, 1), {Bytes({2, 5, 6, 32}, 1), w, Floats({24}, 3)},
                    24);
  const ValueType x = ValueType::Of(DType::kUInt8, {1, 5, 6, 32});
  const ValueType weights = ValueType::Of(w);
  for (const bool dense : {false, true}) {
    const Tensor plain = dense ? Floats({24, 32, 3, 3}, 2) : w;
    const InferContext ctx({{&x, nullptr}, {&weights, &plain}}, 1);
    for (Isa isa : IsasHere()) {
      if (isa < Isa::kVnni || isa > Isa::kBf16) continue;
      const auto kernel =
          MakeFastKernel(Conv(3, 1), ctx, {isa, 1, Precision::kInt8}).value();
      ASSERT_NE(kernel->packed(), nullptr);
      EXPECT_EQ(kernel->packed()->layout,
                dense ? "conv_s8/direct_vnni" : "conv_s8/sparse_vnni");
    }
  }
}

// What packs 3x3 weights of 64 channels, on images of this side (0: unknown).
std::string KernelOn(int64_t side, const KernelSite& site) {
  const int64_t size = side > 0 ? side : kUnknownDim;
  const ValueType x = ValueType::Of(DType::kUInt8, {1, size, size, 64});
  const Tensor w = Floats({64, 64, 3, 3}, 2);
  const ValueType weights = ValueType::Of(w);
  const InferContext ctx({{&x, nullptr}, {&weights, &w}}, 1);
  const auto kernel = MakeFastKernel(Conv(3, 1), ctx, site).value();
  return kernel->packed()->layout;
}

TEST(QuantizedConv, WinogradComputesWideLayersWhereMemoryAllowsIt) {
  if (DetectIsa() < Isa::kVnni) GTEST_SKIP() << "this CPU has no VNNI";
  const KernelSite site = {Isa::kVnni, 1, Precision::kInt8};
  EXPECT_EQ(KernelOn(32, site), "conv_s8/winograd4_vnni");
  EXPECT_EQ(KernelOn(8, site), "conv_s8/direct_vnni");
  KernelSite little = site;
  little.network_weights = 300'000;
  EXPECT_EQ(KernelOn(8, little), "conv_s8/winograd4_vnni");
  EXPECT_EQ(KernelOn(0, site), "conv_s8/direct_vnni");
  KernelSite direct = site;
  direct.primitive = "direct";
  EXPECT_EQ(KernelOn(32, direct), "conv_s8/direct_vnni");
  KernelSite untuned = site;
  untuned.schedule_mode = ScheduleMode::kUntuned;
  EXPECT_EQ(KernelOn(32, untuned), "conv_s8/direct_vnni");
  // Weights grow from 37 to 295 kB.
  KernelSite small = site;
  small.allowance = std::make_shared<WeightAllowance>();
  small.allowance->bytes = 300'000;
  EXPECT_EQ(KernelOn(32, small), "conv_s8/winograd4_vnni");
  EXPECT_LT(small.allowance->bytes, 50'000);
  EXPECT_EQ(KernelOn(32, small), "conv_s8/direct_vnni");
}

TEST(QuantizedConv, ChannelOfZeroWeightsGivesItsBias) {
  Tensor w = Tensor::Allocate(DType::kFloat32, {16, 16, 1, 1}).value();
  std::fill_n(w.data<float>(), w.size(), 0.0f);
  ExpectFastIsClose(Conv(1, 1), {Bytes({1, 2, 2, 16}, 1), w, Floats({16}, 3)});
}

TEST(QuantizedImage, ConversionsMatchReference) {
  for (int64_t channels : {1, 3, 16, 21, 70}) {
    ExpectFastIsClose(QuantizeImage{0.01f, 90},
                      {Floats({2, channels, 9, 8}, 1)});
    ExpectFastIsClose(DequantizeImage{channels, 0.01f, 90},
                      {Bytes({2, 9, 8, ImageChannels(channels)}, 1)});
  }
}

TEST(QuantizedImage, PoolsMatchReference) {
  QuantizedMaxPool max;
  max.kernel_shape = {3, 3};
  max.strides = {2, 2};
  max.pads = {1, 1, 1, 1};
  ExpectFastIsClose(max, {Bytes({2, 9, 8, 32}, 1)});
  QuantizedAveragePool average;
  average.kernel_shape = {3, 2};
  average.strides = {2, 1};
  average.pads = {1, 1, 1, 0};
  average.zero = 100;
  for (int64_t padded : {0, 1}) {
    for (int64_t ceil : {0, 1}) {
      average.count_include_pad = padded;
      average.ceil_mode = ceil;
      ExpectFastIsClose(average, {Bytes({1, 8, 7, 80}, 1)});
    }
  }
  ExpectFastIsClose(QuantizedGlobalAverage{20, 0.01f, 77},
                    {Bytes({2, 30, 31, 32}, 1)});
}

TEST(QuantizedImage, ElementwiseOpsMatchReference) {
  ExpectFastIsClose(QuantizedAdd{0.01f, 3, 0.02f, 200, 0.025f, 90},
                    {Bytes({1, 5, 7, 16}, 1), Bytes({1, 5, 7, 16}, 2)});
  ExpectFastIsClose(QuantizedGate{0.02f, 30, 0.01f, 120},
                    {Bytes({2, 5, 7, 32}, 1), Floats({2, 20, 1, 1}, 2)}, 20);
  ExpectFastIsClose(QuantizedLookup{},
                    {Bytes({1, 5, 7, 16}, 1), Bytes({256}, 2)});
  QuantizedConcat concat;
  concat.channels = {16, 20, 3};
  concat.scales = {0.01f, 0.02f, 0.03f};
  concat.zeros = {0, 100, 3};
  concat.y_scale = 0.02f;
  concat.y_zero = 100;
  ExpectFastIsClose(concat, {Bytes({1, 3, 4, 16}, 1), Bytes({1, 3, 4, 32}, 2),
                             Bytes({1, 3, 4, 4}, 3)});
}

}  // namespace
}  // namespace stint
