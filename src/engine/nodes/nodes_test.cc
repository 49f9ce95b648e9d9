// Every fast kernel against the reference evaluation of its op, on every
// instruction set that this machine has.

#include "engine/testing/kernel_case.h"

namespace stint {
namespace {

TEST(FastUnary, MatchesReference) {
  for (const char* name : {"Abs", "Erf", "Exp", "HardSwish", "Neg",
                           "Reciprocal", "Relu", "Sigmoid", "Tanh"}) {
    for (int64_t n : {1, 7, 16, 33, 1000}) {
      ExpectFastMatchesReference(FindOp(name)->Make(),
                                 {{{n}, false, 6.0f, 0.01f}});
    }
  }
  ExpectFastMatchesReference(FindOp("Sqrt")->Make(),
                             {{{5, 13}, false, 4.0f, 4.0f}});
}

TEST(FastUnary, ParametersReachTheKernel) {
  const std::vector<In> x = {{{3, 37}, false, 5.0f}};
  ExpectFastMatchesReference(LeakyRelu{0.3f}, x);
  ExpectFastMatchesReference(Elu{0.7f}, x);
  ExpectFastMatchesReference(HardSigmoid{0.25f, 0.4f}, x);
  ExpectFastMatchesReference(Swish{1.0f}, x);
  ExpectFastMatchesReference(Gelu{"none"}, x);
  ExpectFastMatchesReference(Gelu{"tanh"}, x);
}

TEST(FastUnary, LeavesSwishOfAnotherSlopeToTheReference) {
  ExpectReferenceRuns(Swish{1.7f}, {{{3, 37}, false, 5.0f}});
}

TEST(FastClip, TakesConstantBounds) {
  ExpectFastMatchesReference(
      Clip{},
      {{{41}, false, 3.0f}, {{}, true, 0.5f, -1.0f}, {{}, true, 0.5f, 1.0f}});
}

TEST(FastClip, LeavesBoundsInTheWrongOrderToTheReference) {
  ExpectReferenceRuns(
      Clip{},
      {{{41}, false, 3.0f}, {{}, true, 0.1f, 2.0f}, {{}, true, 0.1f, 1.0f}});
}

TEST(FastBinary, MatchesReferenceForEveryBroadcast) {
  const std::vector<std::pair<Shape, Shape>> shapes = {
      {{33}, {33}},
      {{5, 17}, {17}},
      {{5, 17}, {5, 1}},
      {{5, 17}, {1, 1}},
      {{}, {5, 17}},
      {{2, 1, 9}, {1, 7, 1}},
      {{2, 3, 4, 5}, {3, 1, 5}},
      {{4, 1}, {1, 4}},
      {{1, 3, 1}, {2, 1, 19}},
      {{0, 3}, {1, 3}},
      {{2, 3, 1, 1}, {2, 3, 6, 6}}};
  for (const char* name : {"Add", "Sub", "Mul", "Div"}) {
    for (const auto& [a, b] : shapes) {
      ExpectFastMatchesReference(FindOp(name)->Make(),
                                 {{a}, {b, false, 1.0f, 3.0f}});
    }
  }
}

TEST(FastSum, OfTwoMatchesReference) {
  ExpectFastMatchesReference(Variadic{VariadicKind::kSum}, {{{5, 17}}, {{17}}});
}

TEST(FastMatMul, MatchesReferenceAroundTheTile) {
  for (int64_t m : {1, 2, 7, 8, 9, 33}) {
    for (int64_t n : {1, 15, 16, 17, 49}) {
      for (int64_t k : {1, 3, 64, 131}) {
        ExpectFastMatchesReference(MatMul{}, {{{m, k}}, Constant({k, n})});
        ExpectFastMatchesReference(MatMul{}, {{{m, k}}, {{k, n}}});
      }
    }
  }
}

TEST(FastMatMul, MatchesReferenceForEveryRank) {
  const std::vector<std::pair<Shape, Shape>> shapes = {
      {{5}, {5}},
      {{5}, {5, 3}},
      {{4, 5}, {5}},
      {{2, 4, 5}, {5, 3}},
      {{2, 4, 5}, {2, 5, 3}},
      {{2, 1, 4, 5}, {3, 5, 6}},
      {{4, 5}, {3, 5, 6}},
      {{3, 2, 4, 5}, {2, 5, 6}}};
  for (const auto& [a, b] : shapes) {
    ExpectFastMatchesReference(MatMul{}, {{a}, {b}});
    ExpectFastMatchesReference(MatMul{}, {{a}, Constant(b)});
  }
}

TEST(FastMatMul, SumOfNothingIsZero) {
  ExpectFastMatchesReference(MatMul{}, {{{3, 0}}, Constant({0, 5})});
  ExpectFastMatchesReference(MatMul{}, {{{3, 0}}, {{0, 5}}});
  ExpectFastMatchesReference(MatMul{}, {{{0, 4}}, Constant({4, 5})});
}

TEST(FastGemm, MatchesReferenceForEveryOption) {
  for (int64_t trans_b : {0, 1}) {
    const Gemm op{0.5f, 2.0f, 0, trans_b};
    const Shape b = trans_b ? Shape{19, 23} : Shape{23, 19};
    const In a = {{7, 23}};
    ExpectFastMatchesReference(op, {a, Constant(b)});
    for (const Shape& c : {Shape{}, Shape{19}, Shape{1, 19}, Shape{1, 1}}) {
      ExpectFastMatchesReference(op, {a, Constant(b), Constant(c)});
    }
    for (const Shape& c : {Shape{7, 1}, Shape{7, 19}}) {
      ExpectReferenceRuns(op, {a, Constant(b), Constant(c)});
    }
  }
  ExpectReferenceRuns(Gemm{1, 1, 1, 0}, {{{23, 7}}, Constant({23, 19})});
}

TEST(FastGemm, SumOfNothingIsTheBias) {
  ExpectFastMatchesReference(Gemm{},
                             {{{3, 0}}, Constant({0, 5}), Constant({5})});
}

struct ConvCase {
  Shape x;
  Shape w;
  std::vector<int64_t> strides;
  std::vector<int64_t> pads;
  std::vector<int64_t> dilations;
  int64_t group = 1;
};

TEST(FastConv, MatchesReferenceForEveryGeometry) {
  for (const ConvCase& c : std::vector<ConvCase>{
           {{1, 3, 9, 11}, {5, 3, 3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}},
           {{2, 8, 7, 7}, {6, 8, 1, 1}, {1, 1}, {0, 0, 0, 0}, {1, 1}},
           {{1, 8, 7, 7}, {6, 8, 1, 1}, {2, 2}, {0, 0, 0, 0}, {1, 1}},
           {{1, 4, 12, 10}, {4, 1, 3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}, 4},
           {{1, 4, 12, 10}, {8, 1, 5, 3}, {2, 1}, {2, 0, 1, 1}, {1, 2}, 4},
           {{1, 6, 8, 8}, {4, 3, 3, 3}, {1, 2}, {0, 1, 2, 0}, {2, 1}, 2},
           {{2, 3, 17}, {5, 3, 4}, {3}, {2, 1}, {1}},
           {{1, 2, 3, 40}, {17, 2, 3, 7}, {1, 1}, {1, 3, 1, 3}, {1, 1}},
           {{1, 1, 5, 5}, {1, 1, 5, 5}, {1, 1}, {4, 4, 4, 4}, {1, 1}}}) {
    Conv op;
    op.strides = c.strides;
    op.pads = c.pads;
    op.dilations = c.dilations;
    op.group = c.group;
    ExpectFastMatchesReference(op, {{c.x}, Constant(c.w)});
    ExpectFastMatchesReference(op, {{c.x}, {c.w}, Constant({c.w[0]})});
  }
}

TEST(FastConv, LeavesThreeAxesToTheReference) {
  ExpectReferenceRuns(Conv{}, {{{1, 2, 3, 4, 5}}, Constant({3, 2, 2, 2, 2})});
}

TEST(FastPool, MatchesReferenceForEveryGeometry) {
  for (int64_t ceil_mode : {0, 1}) {
    for (const auto& [x, kernel, strides, pads] :
         std::vector<std::tuple<Shape, Shape, Shape, Shape>>{
             {{1, 3, 9, 11}, {3, 3}, {2, 2}, {1, 1, 1, 1}},
             {{2, 2, 8, 8}, {2, 2}, {2, 2}, {}},
             {{1, 1, 7, 33}, {1, 5}, {1, 2}, {0, 2, 0, 1}},
             {{1, 4, 19}, {4}, {3}, {2, 1}}}) {
      MaxPool max;
      max.ceil_mode = ceil_mode;
      max.kernel_shape = kernel;
      max.strides = strides;
      max.pads = pads;
      ExpectFastMatchesReference(max, {{x}});
      for (int64_t include : {0, 1}) {
        AveragePool average;
        average.ceil_mode = ceil_mode;
        average.count_include_pad = include;
        average.kernel_shape = kernel;
        average.strides = strides;
        average.pads = pads;
        ExpectFastMatchesReference(average, {{x}});
      }
    }
  }
}

TEST(FastPool, LeavesThreeAxesToTheReference) {
  MaxPool max;
  AveragePool average;
  max.kernel_shape = average.kernel_shape = {2, 2, 2};
  max.strides = average.strides = {1, 2, 1};
  ExpectReferenceRuns(max, {{{1, 2, 5, 4, 6}}});
  ExpectReferenceRuns(average, {{{1, 2, 5, 4, 6}}});
}

TEST(FastConcat, MatchesReferenceOnEveryAxis) {
  for (int64_t axis : {0, 1, 2, -1}) {
    std::vector<In> inputs;
    for (int64_t size : {3, 1, 8}) {
      Shape shape = {2, 5, 7};
      shape[axis < 0 ? 2 : axis] = size;
      inputs.push_back({shape});
    }
    ExpectFastMatchesReference(Concat{axis}, inputs);
  }
  ExpectFastMatchesReference(Concat{1}, {{{4, 30, 300}}, {{4, 11, 300}}});
  ExpectFastMatchesReference(Concat{0}, {{{0, 4}}, {{2, 4}}, {{0, 4}}});
}

TEST(FastGlobalAveragePool, MatchesReference) {
  for (const Shape& x : {Shape{2, 3, 7, 7}, Shape{1, 5, 33},
                         Shape{1, 2, 2, 3, 4}, Shape{3, 4}}) {
    ExpectFastMatchesReference(GlobalAveragePool{}, {{x}});
  }
}

}  // namespace
}  // namespace stint
