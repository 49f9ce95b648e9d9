// Every kernel against the reference evaluation of its op.

#include <gtest/gtest.h>

#include "core/base/random.h"
#include "engine/opencl/testing/opencl_case.h"

namespace stint {
namespace {

TEST(OpenClOps, RandomConvolutionsMatchReference) {
  STINT_NEED_OPENCL();
  constexpr const char* kActivations[] = {
      "none",    "gelu", "gelu_tanh",  "silu",
      "sigmoid", "tanh", "hard_swish", "hard_sigmoid"};
  Random random(7);
  for (int i = 0; i < 40; ++i) {
    FusedConv op;
    op.group = int64_t{1} << random.NextInt(3);
    const int64_t depth = 1 + random.NextInt(9);
    const int64_t outputs = op.group * (1 + random.NextInt(20));
    const int64_t kh = 1 + random.NextInt(4), kw = 1 + random.NextInt(4);
    op.strides = {1 + random.NextInt(3), 1 + random.NextInt(3)};
    op.dilations = {1 + random.NextInt(2), 1 + random.NextInt(2)};
    op.pads = {random.NextInt(3), random.NextInt(3), random.NextInt(3),
               random.NextInt(3)};
    op.activation = kActivations[random.NextInt(8)];
    if (random.NextInt(2) == 0) op.lo = 0;
    if (random.NextInt(2) == 0) op.hi = 1;
    const int64_t h = (kh - 1) * op.dilations[0] + 1 + random.NextInt(12);
    const int64_t w = (kw - 1) * op.dilations[1] + 1 + random.NextInt(12);
    std::vector<In> inputs = {{{1 + random.NextInt(2), op.group * depth, h, w}},
                              Constant({outputs, depth, kh, kw})};
    inputs.push_back(random.NextInt(2) == 0 ? Absent() : Constant({outputs}));
    const KernelCase shapes(op, inputs, 1);
    if (random.NextInt(2) == 0) {
      inputs.push_back({shapes.types().outputs()[0].dims});
    }
    ExpectOpenClMatchesReference(op, inputs);
  }
}

TEST(OpenClOps, DepthwiseConvolutionsMatchReference) {
  STINT_NEED_OPENCL();
  Random random(11);
  for (int i = 0; i < 20; ++i) {
    FusedConv op;
    op.group = 1 + random.NextInt(20);
    const int64_t k = 1 + random.NextInt(7);
    op.strides = {1 + random.NextInt(2), 1 + random.NextInt(3)};
    op.dilations = {1, 1 + random.NextInt(2)};
    op.pads = {k / 2, k / 2, k / 2, k / 2};
    op.lo = 0;
    const int64_t outputs = op.group * (1 + random.NextInt(2));
    ExpectOpenClMatchesReference(
        op, {{{2, op.group, 7 + random.NextInt(20), 14 + random.NextInt(20)}},
             Constant({outputs, 1, k, k}),
             Constant({outputs})});
  }
}

TEST(OpenClOps, ConvolutionsOfOneDimensionMatchReference) {
  STINT_NEED_OPENCL();
  Conv op;
  op.pads = {2, 1};
  op.strides = {2};
  ExpectOpenClMatchesReference(op, {{{2, 5, 31}}, Constant({17, 5, 4})});
}

TEST(OpenClOps, LinearLayersMatchReference) {
  STINT_NEED_OPENCL();
  for (int64_t rows : {1, 2, 7, 33}) {
    for (int64_t columns : {1, 16, 37}) {
      for (int64_t transposed : {0, 1}) {
        FusedLinear op;
        op.transB = transposed;
        op.activation = "gelu";
        const Shape w = transposed ? Shape{columns, 23} : Shape{23, columns};
        ExpectOpenClMatchesReference(
            op, {{{rows, 23}}, Absent(), Constant(w), Constant({columns})});
        ExpectOpenClMatchesReference(
            op, {{{rows, 23}}, {{rows, columns}}, Constant(w), Absent()});
      }
    }
  }
}

TEST(OpenClOps, LinearLayersSideBySideMatchReference) {
  STINT_NEED_OPENCL();
  FusedLinear op;
  ExpectOpenClMatchesReference(op, {{{3, 9, 12}},
                                    Absent(),
                                    Constant({12, 20}),
                                    Constant({20}),
                                    Constant({12, 5}),
                                    Absent(),
                                    Constant({12, 7}),
                                    Constant({7})});
}

TEST(OpenClOps, ResidualOfALinearLayerBroadcasts) {
  STINT_NEED_OPENCL();
  FusedLinear op;
  op.lo = 0;
  op.activation = "silu";
  ExpectOpenClMatchesReference(
      op, {{{9, 12}}, {{2, 1, 20}}, Constant({12, 20}), Constant({20})});
}

TEST(OpenClOps, MatrixProductsMatchReference) {
  STINT_NEED_OPENCL();
  ExpectOpenClMatchesReference(MatMul{}, {{{13, 21}}, {{21, 35}}});
  ExpectOpenClMatchesReference(MatMul{}, {{{2, 3, 5, 7}}, {{3, 7, 9}}});
  ExpectOpenClMatchesReference(MatMul{}, {{{4, 1, 5, 7}}, {{3, 7, 17}}});
  ExpectOpenClMatchesReference(MatMul{}, {{{7}}, {{3, 7, 17}}});
  ExpectOpenClMatchesReference(MatMul{}, {{{4, 5, 7}}, {{7}}});
  for (int64_t trans = 0; trans < 4; ++trans) {
    Gemm op;
    op.alpha = 0.5f;
    op.beta = 2;
    op.transA = trans & 1;
    op.transB = trans >> 1;
    ExpectOpenClMatchesReference(op, {{op.transA ? Shape{6, 9} : Shape{9, 6}},
                                      {op.transB ? Shape{18, 6} : Shape{6, 18}},
                                      {{18}}});
  }
}

TEST(OpenClOps, UnaryFunctionsMatchReference) {
  STINT_NEED_OPENCL();
  for (const UnaryName& name : KindNames(static_cast<const Unary*>(nullptr))) {
    if (name.kind == UnaryKind::kNot || name.kind == UnaryKind::kBitwiseNot ||
        name.kind == UnaryKind::kIsNaN) {
      continue;
    }
    In in = {{3, 41}};
    if (name.kind == UnaryKind::kAcosh) in.offset = 2.5f;
    ExpectOpenClMatchesReference(Unary{name.kind}, {in});
  }
  const In wide = {{7, 31}, false, 4};
  ExpectOpenClMatchesReference(LeakyRelu{}, {wide});
  ExpectOpenClMatchesReference(Elu{}, {wide});
  ExpectOpenClMatchesReference(Celu{2.0f}, {wide});
  ExpectOpenClMatchesReference(Selu{}, {wide});
  ExpectOpenClMatchesReference(HardSigmoid{}, {wide});
  ExpectOpenClMatchesReference(ThresholdedRelu{}, {wide});
  ExpectOpenClMatchesReference(Shrink{0.5f, 1.5f}, {wide});
  ExpectOpenClMatchesReference(Swish{1.7f}, {wide});
  ExpectOpenClMatchesReference(Gelu{}, {wide});
  ExpectOpenClMatchesReference(Gelu{"tanh"}, {wide});
  ExpectOpenClMatchesReference(Clip{}, {wide, {{}, true}, {{}, true, 1, 3}});
}

TEST(OpenClOps, BinaryFunctionsBroadcast) {
  STINT_NEED_OPENCL();
  const std::vector<std::pair<Shape, Shape>> shapes = {
      {{2, 3, 4}, {2, 3, 4}},
      {{2, 3, 4, 5}, {3, 1, 1}},
      {{1, 7}, {6, 1}},
      {{5}, {}},
      {{2, 1, 3, 1, 2}, {4, 1, 5, 1}}};
  for (BinaryKind kind : {BinaryKind::kAdd, BinaryKind::kSub, BinaryKind::kMul,
                          BinaryKind::kDiv}) {
    for (const auto& [a, b] : shapes) {
      ExpectOpenClMatchesReference(Binary{kind}, {{a}, {b, false, 1, 2.5f}});
    }
  }
  ExpectOpenClMatchesReference(Binary{BinaryKind::kPow},
                               {{{4, 5}, false, 1, 2}, {{5}}});
  ExpectOpenClMatchesReference(Binary{BinaryKind::kPRelu},
                               {{{2, 4, 5}}, {{4, 1}}});
  for (VariadicKind kind : {VariadicKind::kMax, VariadicKind::kMin,
                            VariadicKind::kSum, VariadicKind::kMean}) {
    ExpectOpenClMatchesReference(Variadic{kind}, {{{4, 5}}, {{5}}, {{4, 1}}});
  }
}

TEST(OpenClOps, PoolingMatchesReference) {
  STINT_NEED_OPENCL();
  Random random(5);
  for (int i = 0; i < 24; ++i) {
    AveragePool average;
    average.kernel_shape = {2 + random.NextInt(3), 2 + random.NextInt(3)};
    average.strides = {1 + random.NextInt(3), 1 + random.NextInt(3)};
    average.pads = {random.NextInt(2), random.NextInt(2), random.NextInt(2),
                    random.NextInt(2)};
    average.ceil_mode = random.NextInt(2);
    average.count_include_pad = random.NextInt(2);
    MaxPool max;
    max.kernel_shape = average.kernel_shape;
    max.strides = average.strides;
    max.pads = average.pads;
    max.ceil_mode = average.ceil_mode;
    const In in = {{2, 3, 5 + random.NextInt(9), 5 + random.NextInt(9)}};
    ExpectOpenClMatchesReference(average, {in});
    ExpectOpenClMatchesReference(max, {in});
  }
  MaxPool flat;
  flat.kernel_shape = {3};
  ExpectOpenClMatchesReference(flat, {{{2, 3, 11}}});
  ExpectOpenClMatchesReference(GlobalAveragePool{}, {{{2, 5, 7, 3}}});
  ExpectOpenClMatchesReference(GlobalMaxPool{}, {{{2, 5, 7, 3}}});
}

TEST(OpenClOps, ReductionsMatchReference) {
  STINT_NEED_OPENCL();
  const std::vector<std::vector<int64_t>> axes = {{0},    {1},    {-1},
                                                  {0, 2}, {1, 2}, {0, 1, 2, 3}};
  for (const ReduceName& name :
       KindNames(static_cast<const Reduce*>(nullptr))) {
    if (name.kind == ReduceKind::kLogSum ||
        name.kind == ReduceKind::kLogSumExp) {
      continue;
    }
    for (const auto& some : axes) {
      ExpectOpenClMatchesReference(Reduce{name.kind},
                                   {{{3, 4, 2, 5}}, Ints(some)});
      ExpectOpenClMatchesReference(Reduce{name.kind, 0},
                                   {{{3, 4, 2, 5}}, Ints(some)});
    }
  }
}

TEST(OpenClOps, NormalizationsMatchReference) {
  STINT_NEED_OPENCL();
  ExpectOpenClMatchesReference(BatchNormalization{}, {{{2, 5, 4, 3}},
                                                      Constant({5}),
                                                      Constant({5}),
                                                      Constant({5}),
                                                      {{5}, true, 1, 2}});
  ExpectOpenClMatchesReference(LayerNormalization{},
                               {{{6, 33}}, Constant({33}), Constant({33})});
  ExpectOpenClMatchesReference(LayerNormalization{1},
                               {{{6, 3, 5}}, Constant({3, 5})});
  for (int64_t axis : {0, 1, 2}) {
    ExpectOpenClMatchesReference(Softmax{axis}, {{{3, 5, 7}, false, 4}});
    ExpectOpenClMatchesReference(LogSoftmax{axis}, {{{3, 5, 7}, false, 4}});
  }
}

TEST(OpenClOps, MovedElementsArriveWhereTheReferencePutsThem) {
  STINT_NEED_OPENCL();
  ExpectOpenClMatchesReference(Transpose{{2, 0, 3, 1}}, {{{2, 3, 4, 5}}});
  ExpectOpenClMatchesReference(Transpose{}, {{{7, 9}}});
  ExpectOpenClMatchesReference(Expand{}, {{{3, 1, 2}}, Ints({4, 1, 5, 1})});
  ExpectOpenClMatchesReference(Slice{}, {{{6, 7, 8}},
                                         Ints({1, -1, 7}),
                                         Ints({5, -7, 0}),
                                         Ints({0, 1, 2}),
                                         Ints({2, -2, -3})});
  ExpectOpenClMatchesReference(Split{1, 3}, {{{2, 6, 5}}}, 3);
  ExpectOpenClMatchesReference(Split{-1, 0}, {{{2, 9}}, Ints({2, 7})}, 2);
  for (int64_t axis : {0, 1, 2}) {
    Shape other = {2, 3, 4};
    other[static_cast<size_t>(axis)] = 9;
    ExpectOpenClMatchesReference(Concat{axis},
                                 {{{2, 3, 4}}, {other}, {{2, 3, 4}}});
  }
  ExpectOpenClMatchesReference(Flatten{2}, {{{2, 3, 4}}});
  ExpectOpenClMatchesReference(Reshape{}, {{{2, 3, 4}}, Ints({4, -1})});
}

TEST(OpenClOps, PaddingOfEveryModeMatchesReference) {
  STINT_NEED_OPENCL();
  for (const char* mode : {"constant", "reflect", "edge", "wrap"}) {
    ExpectOpenClMatchesReference(
        Pad{mode}, {{{4, 5, 6}}, Ints({1, 0, 2, 3, -1, 4}), Absent()});
  }
  ExpectOpenClMatchesReference(
      Pad{"constant"}, {{{4, 5}}, Ints({1, 2, 0, 3}), {{}, true, 1, 5}});
}

}  // namespace
}  // namespace stint
