#include "engine/calibrate/calibration.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/testing/random_tensor.h"
#include "engine/lower/lower_graph.h"

namespace stint {
namespace {

struct Int8Case {
  explicit Int8Case(Shape dims) : shape(std::move(dims)) {
    x = graph.AddInput("x", ValueType::Of(DType::kFloat32, shape));
  }
  ValueId Conv3x3(ValueId in, int64_t from, int64_t to, int64_t group = 1) {
    FusedConv conv;
    conv.pads = {1, 1, 1, 1};
    conv.group = group;
    conv.lo = 0;
    return graph.Add(
        "conv", conv,
        {in,
         graph.AddConstant("w", RandomTensor({to, from / group, 3, 3}, 7, 2))});
  }
  // The ops of the graph in int8, whose answers are those of float32 within 5 %
  // of the largest.
  std::string Lowered() {
    EXPECT_TRUE(InferGraph(&graph).ok());
    const KernelSite site{DetectIsa(), 2, Precision::kInt8};
    ThreadPool pool(2);
    auto calibration = Calibration::Create(graph, site, &pool);
    EXPECT_TRUE(calibration.ok());
    const std::vector<Value> inputs = {Value(RandomTensor(shape, 3, 2))};
    const auto want = (*calibration)->runner()->Run(inputs);
    EXPECT_TRUE(want.ok()) << want.status().message();
    const ActivationRanges ranges = (*calibration)->Ranges();
    const auto lowered = LowerGraph(graph, site, &ranges);
    EXPECT_TRUE(lowered.ok()) << lowered.status().message();
    GraphRunner runner(lowered->get(), site, &pool);
    EXPECT_TRUE(runner.Prepare().ok());
    const auto got = runner.Run(inputs);
    EXPECT_TRUE(got.ok()) << got.status().message();
    for (size_t i = 0; i < want->size(); ++i) {
      ExpectClose((*got)[i].tensor(), (*want)[i].tensor());
    }
    std::string names;
    for (NodeId id : (*lowered)->order()) {
      if (!names.empty()) names += ' ';
      names += OpName((*lowered)->node(id).op);
    }
    return names;
  }
  static void ExpectClose(const Tensor& got, const Tensor& want) {
    ASSERT_EQ(got.shape(), want.shape());
    float largest = 0;
    for (int64_t i = 0; i < want.size(); ++i) {
      largest = std::max(largest, std::fabs(want.data<float>()[i]));
    }
    for (int64_t i = 0; i < want.size(); ++i) {
      ASSERT_NEAR(got.data<float>()[i], want.data<float>()[i], 0.05 * largest);
    }
  }

  Shape shape;
  Graph graph;
  ValueId x;
};

TEST(QuantizeImages, ConvertsOnlyWhereAStretchBeginsAndEnds) {
  Int8Case c({1, 3, 8, 8});
  ValueId y = c.Conv3x3(c.x, 3, 20);
  y = c.Conv3x3(y, 20, 20, 20);
  MaxPool pool;
  pool.kernel_shape = {2, 2};
  pool.strides = {2, 2};
  y = c.graph.Add("pool", pool, {y});
  y = c.graph.Add("leaky", LeakyRelu{}, {y});
  c.graph.MarkOutput(c.graph.Add("flat", Flatten{1}, {y}));
  EXPECT_EQ(c.Lowered(),
            "QuantizeImage QuantizedConv QuantizedConv QuantizedMaxPool "
            "QuantizedLookup DequantizeImage Flatten");
}

TEST(QuantizeImages, MergesALeakIntoItsConvolution) {
  Int8Case c({1, 16, 8, 8});
  FusedConv conv;
  ValueId y = c.graph.Add(
      "conv", conv,
      {c.x, c.graph.AddConstant("w", RandomTensor({16, 16, 1, 1}, 7, 2))});
  y = c.graph.Add("leaky", LeakyRelu{0.1f}, {y});
  c.graph.MarkOutput(c.graph.Add("flat", Flatten{1}, {y}));
  EXPECT_EQ(c.Lowered(), "QuantizeImage QuantizedConv DequantizeImage Flatten");
}

TEST(QuantizeImages, RequantizesAtSumsGatesAndConcatenation) {
  Int8Case c({2, 32, 8, 8});
  const ValueId a = c.Conv3x3(c.x, 32, 32);
  const ValueId b = c.Conv3x3(a, 32, 32);
  const ValueId sum = c.graph.Add("sum", Binary{BinaryKind::kAdd}, {a, b});
  const ValueId mean = c.graph.Add("mean", GlobalAveragePool{}, {sum});
  const ValueId gate = c.graph.Add("gate", Unary{UnaryKind::kSigmoid}, {mean});
  const ValueId gated =
      c.graph.Add("gated", Binary{BinaryKind::kMul}, {sum, gate});
  c.graph.MarkOutput(c.graph.Add("joined", Concat{1}, {gated, a}));
  EXPECT_EQ(c.Lowered(),
            "QuantizeImage QuantizedConv QuantizedConv QuantizedAdd "
            "QuantizedGlobalAverage Sigmoid QuantizedGate QuantizedConcat "
            "DequantizeImage");
}

TEST(QuantizeImages, LeavesInFloatWhatHasNoIntegerForm) {
  Int8Case c({1, 9, 8, 8});
  ValueId y = c.Conv3x3(c.x, 9, 16);
  y = c.Conv3x3(y, 16, 8, 8);  // groups of two channels
  c.graph.MarkOutput(
      c.graph.Add("norm", InstanceNormalization{},
                  {y, c.graph.AddConstant("s", RandomTensor({8}, 1, 2)),
                   c.graph.AddConstant("b", RandomTensor({8}, 2, 2))}));
  EXPECT_EQ(c.Lowered(),
            "QuantizeImage QuantizedConv DequantizeImage FusedConv "
            "InstanceNormalization");
}

TEST(QuantizeImages, LeavesBranchesOfOnePixelInFloat) {
  Int8Case c({1, 32, 1, 1});
  FusedConv conv;
  c.graph.MarkOutput(c.graph.Add(
      "conv", conv,
      {c.x, c.graph.AddConstant("w", RandomTensor({32, 32, 1, 1}, 7, 2))}));
  EXPECT_EQ(c.Lowered().find("Quantized"), std::string::npos);
}

TEST(QuantizeImages, NeedsNoCalibrationOfAGraphThatCarriesRanges) {
  Int8Case c({1, 16, 8, 8});
  c.graph.MarkOutput(c.Conv3x3(c.x, 16, 16));
  ASSERT_TRUE(InferGraph(&c.graph).ok());
  EXPECT_TRUE(NeedsRanges(c.graph, Precision::kInt8));
  const KernelSite site{DetectIsa(), 1, Precision::kInt8};
  EXPECT_EQ(LowerGraph(c.graph, site).status().code(),
            StatusCode::kUnsupported);
  ActivationRanges ranges(c.graph.num_values());
  ranges[c.x.index] = {-1, 1};
  ranges[c.graph.outputs()[0].index] = {0, 3};
  SetRanges(ranges, &c.graph);
  EXPECT_FALSE(NeedsRanges(c.graph, Precision::kInt8));
  const auto carried = LowerGraph(c.graph, site);
  ASSERT_TRUE(carried.ok()) << carried.status().message();
  EXPECT_EQ(DumpGraph(**carried),
            DumpGraph(*LowerGraph(c.graph, site, &ranges).value()));
  EXPECT_NE(DumpGraph(**carried).find("QuantizedConv"), std::string::npos);
}

TEST(Histogram, KeepsTheWholeRangeOfEvenlySpreadValues) {
  Histogram histogram;
  std::vector<float> values;
  for (int i = 0; i <= 1000; ++i) {
    values.push_back(static_cast<float>(i) * 0.003f - 1);
  }
  histogram.Add(values);
  const ActivationRange range = histogram.Range();
  EXPECT_NEAR(range.lo, -1, 0.05);
  EXPECT_NEAR(range.hi, 2, 0.1);
}

TEST(Histogram, ClipsARareOutlier) {
  Histogram histogram;
  std::vector<float> values(100000, 0.0f);
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(i % 1000) * 0.001f;
  }
  for (int i = 0; i < 80; ++i) histogram.Add(values);
  const float outlier[] = {4.0f};
  histogram.Add(outlier);
  EXPECT_EQ(histogram.max(), 4.0f);
  EXPECT_LT(histogram.Range().hi, 2.5f);
  EXPECT_EQ(histogram.Range().lo, 0.0f);
}

TEST(Histogram, DoesNotDependOnTheOrderOfMagnitudes) {
  Histogram up, down;
  std::vector<float> values;
  for (int i = 0; i < 20; ++i) values.push_back(std::ldexp(1.0f, i));
  up.Add(values);
  std::reverse(values.begin(), values.end());
  down.Add(values);
  EXPECT_EQ(up.Range().hi, down.Range().hi);
}

}  // namespace
}  // namespace stint
