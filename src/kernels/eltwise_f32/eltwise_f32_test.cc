#include "kernels/eltwise_f32/eltwise_f32.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "core/platform/thread_pool.h"
#include "core/testing/isa_variants.h"
#include "kernels/eltwise_f32/reference.h"
#include "kernels/testing/floats.h"

namespace stint {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

std::vector<const EltwiseF32Kernel*> Runnable() {
  std::vector<const EltwiseF32Kernel*> rows;
  for (const EltwiseF32Kernel& kernel : EltwiseF32Table()) {
    if (RunsHere(kernel)) rows.push_back(&kernel);
  }
  return rows;
}

// A sweep of both signs through all magnitudes that matter.
std::vector<float> Sweep() {
  std::vector<float> x = {0.0f, -0.0f};
  for (float v = 1e-30f; v < 200; v *= 1.01f) {
    x.push_back(v);
    x.push_back(-v);
  }
  for (float v = -110; v < 100; v += 0.037f) x.push_back(v);
  return x;
}

TEST(UnaryF32, MatchesReferenceOnEveryOp) {
  const std::vector<float> x = Sweep();
  for (const EltwiseF32Kernel* kernel : Runnable()) {
    for (int op = 0; op < kUnaryOps; ++op) {
      SCOPED_TRACE(testing::Message() << kernel->name << " op " << op);
      const UnaryOp unary = static_cast<UnaryOp>(op);
      UnaryF32Args args{x.data(), nullptr, static_cast<int64_t>(x.size()),
                        -0.3f, 0.6f};
      std::vector<float> got(x.size()), want(x.size());
      args.y = want.data();
      ReferenceUnaryF32(unary)(args);
      args.y = got.data();
      kernel->unary(unary)(args);
      ExpectClose(got, want, 1e-6);
    }
  }
}

TEST(UnaryF32, ExpIsWithinTwoUlp) {
  std::vector<float> x;
  for (float v = -104; v < 88.8f; v += 0.0007f) x.push_back(v);
  for (const EltwiseF32Kernel* kernel : Runnable()) {
    std::vector<float> got(x.size());
    kernel->unary(UnaryOp::kExp)(
        {x.data(), got.data(), static_cast<int64_t>(x.size())});
    for (size_t i = 0; i < x.size(); ++i) {
      const float want = static_cast<float>(std::exp(double{x[i]}));
      const int64_t ulps = int64_t{std::bit_cast<int32_t>(got[i])} -
                           std::bit_cast<int32_t>(want);
      ASSERT_LE(std::abs(ulps), 2) << kernel->name << " exp(" << x[i] << ")";
    }
  }
}

TEST(UnaryF32, KeepsNanAndInfinities) {
  const std::vector<float> x = {kNan, kInf, -kInf, 1e30f, -1e30f};
  const UnaryOp ops[] = {UnaryOp::kExp,     UnaryOp::kErf,  UnaryOp::kTanh,
                         UnaryOp::kSigmoid, UnaryOp::kRelu, UnaryOp::kClip,
                         UnaryOp::kAbs,     UnaryOp::kNeg,  UnaryOp::kSqrt};
  for (const EltwiseF32Kernel* kernel : Runnable()) {
    for (UnaryOp op : ops) {
      std::vector<float> got(x.size()), want(x.size());
      UnaryF32Args args{x.data(), got.data(), 5, -1.0f, 1.0f};
      kernel->unary(op)(args);
      args.y = want.data();
      ReferenceUnaryF32(op)(args);
      SCOPED_TRACE(testing::Message()
                   << kernel->name << " op " << static_cast<int>(op));
      ExpectClose(got, want, 1e-6);
    }
  }
}

TEST(UnaryF32, GeluKeepsNanAndInfinityAndEndsInZero) {
  const std::vector<float> x = {kNan, kInf, 1e30f, -1e30f, -7.0f, -kInf};
  for (const EltwiseF32Kernel* kernel : Runnable()) {
    std::vector<float> y(x.size());
    kernel->unary(UnaryOp::kGeluErf)({x.data(), y.data(), 6});
    EXPECT_TRUE(std::isnan(y[0])) << kernel->name;
    EXPECT_EQ(y[1], kInf) << kernel->name;
    EXPECT_EQ(y[2], 1e30f) << kernel->name;
    EXPECT_EQ(y[3], 0.0f) << kernel->name;
    EXPECT_NEAR(y[4], 0.0f, 1e-9) << kernel->name;
    // The limit, or what the formula gives: infinity times 0.
    EXPECT_TRUE(y[5] == 0 || std::isnan(y[5])) << kernel->name;
  }
}

TEST(UnaryF32, SplitsOverThreadsInPlace) {
  ThreadPool pool(3);
  for (int64_t count : {1, 15, 16, 17, 40000, 40003}) {
    std::vector<float> x = RandomFloats(count, 4);
    std::vector<float> want(x.size());
    ReferenceUnaryF32(UnaryOp::kTanh)({x.data(), want.data(), count});
    UnaryF32(PickEltwiseF32(DetectIsa()).unary(UnaryOp::kTanh),
             {x.data(), x.data(), count}, &pool);
    ExpectClose(x, want, 1e-6);
  }
}

struct Layout {
  int64_t row_stride;
  int64_t col_stride;
};

void CheckBinary(int64_t rows, int64_t cols, Layout a, Layout b) {
  const std::vector<float> x = RandomFloats(rows * cols + 1, 5);
  const std::vector<float> y = RandomFloats(rows * cols + 1, 6);
  ThreadPool pool(3);
  for (const EltwiseF32Kernel* kernel : Runnable()) {
    for (int op = 0; op < kBinaryOps; ++op) {
      const BinaryOp binary = static_cast<BinaryOp>(op);
      std::vector<float> got(rows * cols), want(rows * cols);
      BinaryF32Args args{{x.data(), a.row_stride, a.col_stride},
                         {y.data(), b.row_stride, b.col_stride},
                         want.data(),
                         cols,
                         rows,
                         cols};
      args.lo = -3;
      ReferenceBinaryF32(binary)(args);
      args.out = got.data();
      BinaryF32(kernel->binary(binary), args, &pool);
      SCOPED_TRACE(testing::Message() << kernel->name << " op " << op);
      ExpectClose(got, want, 1e-6);
    }
  }
}

TEST(BinaryF32, BroadcastsEitherOperand) {
  for (int64_t rows : {1, 2, 5, 300}) {
    for (int64_t cols : {1, 15, 16, 17, 100}) {
      const Layout matrix{cols, 1}, row{0, 1}, column{1, 0}, scalar{0, 0};
      CheckBinary(rows, cols, matrix, matrix);
      for (Layout other : {row, column, scalar}) {
        CheckBinary(rows, cols, matrix, other);
        CheckBinary(rows, cols, other, matrix);
      }
      CheckBinary(rows, cols, column, row);
    }
  }
}

TEST(BinaryF32, SplitsOneLongRow) {
  CheckBinary(1, 50001, {50001, 1}, {50001, 1});
}

TEST(BinaryF32, MaxAndMinKeepNan) {
  const float pairs[2][2] = {{kNan, 1}, {1, kNan}};
  for (const EltwiseF32Kernel* kernel : Runnable()) {
    for (BinaryOp op : {BinaryOp::kMax, BinaryOp::kMin}) {
      float out[2];
      kernel->binary(op)({{pairs[0], 0, 1}, {pairs[1], 0, 1}, out, 2, 1, 2});
      EXPECT_TRUE(std::isnan(out[0])) << kernel->name;
      EXPECT_TRUE(std::isnan(out[1])) << kernel->name;
    }
  }
}

}  // namespace
}  // namespace stint
