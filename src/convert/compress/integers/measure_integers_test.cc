#include "convert/compress/integers/measure_integers.h"

#include <gtest/gtest.h>

#include "convert/compress/testing/small_network.h"
#include "core/platform/cpu_info.h"

namespace stint {
namespace {

// Large enough for times that mean something.
Package Convolutions() {
  SmallNetwork net(32, 28);
  const ValueId a = net.Relu(net.Convolve(net.x, {64, 32, 3, 3}));
  const ValueId b = net.Relu(net.Convolve(a, {64, 64, 3, 3}));
  net.Finish(net.Convolve(b, {64, 64, 3, 3}));
  Package package;
  package.graph = net.graph.Clone();
  return package;
}

Result<MeasuredIntegers> Measure(const std::string& isa) {
  const Samples samples = {{Value(RandomTensor({2, 32, 28, 28}, 5))}};
  const auto runtime = Runtime::Create({.threads = 1, .isa = ParseIsa(isa)});
  EXPECT_TRUE(runtime.ok());
  ThreadPool pool(1);
  return MeasureIntegers(Convolutions(), samples, *runtime, &pool);
}

// SSE2 multiplies bytes at half the speed of Winograd in float.
TEST(MeasureIntegers, RefusesWhereFloatIsFaster) {
  const auto measured = Measure("sse2");
  ASSERT_EQ(measured.status().code(), StatusCode::kUnsupported);
  EXPECT_NE(measured.status().message().find("gains by int8 in sse2, 1 thread"),
            std::string::npos)
      << measured.status().message();
}

TEST(MeasureIntegers, TakesConvolutionsWhereDotProductsOfBytesAreFaster) {
  if (DetectIsa() < Isa::kVnni) GTEST_SKIP() << "no VNNI";
  const auto measured = Measure("");
  ASSERT_TRUE(measured.ok()) << measured.status().message();
  EXPECT_LT(measured->int8_ms, measured->float_ms);
  EXPECT_EQ(measured->layers.count("conv2"), 1u);
  ASSERT_EQ(measured->gains.size(), 3u);
  for (const IntegerGain& gain : measured->gains) {
    EXPECT_EQ(gain.pays, measured->layers.count(gain.layer) > 0);
    EXPECT_EQ(gain.pays, gain.reason.empty());
  }
}

TEST(MeasureIntegers, NeedsARow) {
  const auto runtime = Runtime::Create({});
  ThreadPool pool(1);
  EXPECT_EQ(
      MeasureIntegers(Convolutions(), {}, *runtime, &pool).status().code(),
      StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace stint
