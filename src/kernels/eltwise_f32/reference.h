#pragma once
// The elementwise formulas in double precision, as every kernel is compared
// with.

#include <cmath>

#include "kernels/eltwise_f32/op_list.h"

namespace stint {

// NaN stays NaN.
inline double ReferenceClamp(double x, double lo, double hi) {
  if (x < lo) return lo;
  return x > hi ? hi : x;
}

inline double ReferenceUnary(UnaryOp op, double x, double alpha, double beta) {
  switch (op) {
    case UnaryOp::kAbs:
      return std::fabs(x);
    case UnaryOp::kNeg:
      return -x;
    case UnaryOp::kSqrt:
      return std::sqrt(x);
    case UnaryOp::kReciprocal:
      return 1 / x;
    case UnaryOp::kSquare:
      return x * x;
    case UnaryOp::kRelu:
      return x < 0 ? 0 : x;
    case UnaryOp::kClip:
      return ReferenceClamp(x, alpha, beta);
    case UnaryOp::kLeakyRelu:
      return x < 0 ? alpha * x : x;
    case UnaryOp::kElu:
      return x < 0 ? alpha * std::expm1(x) : x;
    case UnaryOp::kExp:
      return std::exp(x);
    case UnaryOp::kErf:
      return std::erf(x);
    case UnaryOp::kTanh:
      return std::tanh(x);
    case UnaryOp::kSigmoid:
      return 1 / (1 + std::exp(-x));
    case UnaryOp::kSilu:
      return x / (1 + std::exp(-x));
    case UnaryOp::kGeluErf:
      return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0)));
    case UnaryOp::kGeluTanh:
      return 0.5 * x *
             (1 + std::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
    case UnaryOp::kHardSigmoid:
      return ReferenceClamp(alpha * x + beta, 0, 1);
    case UnaryOp::kHardSwish:
      return x * ReferenceClamp(x / 6 + 0.5, 0, 1);
  }
  return 0;
}

inline double ReferenceBinary(BinaryOp op, double a, double b) {
  switch (op) {
    case BinaryOp::kAdd:
      return a + b;
    case BinaryOp::kSub:
      return a - b;
    case BinaryOp::kMul:
      return a * b;
    case BinaryOp::kDiv:
      return a / b;
    case BinaryOp::kMax:
      return a > b || std::isnan(a) ? a : b;
    case BinaryOp::kMin:
      return a < b || std::isnan(a) ? a : b;
  }
  return 0;
}

template <UnaryOp op>
struct ReferenceUnaryLoop {
  static void Run(const UnaryF32Args& args) {
    for (int64_t i = 0; i < args.count; ++i) {
      args.y[i] = static_cast<float>(
          ReferenceUnary(op, args.x[i], args.alpha, args.beta));
    }
  }
};

template <BinaryOp op>
struct ReferenceBinaryLoop {
  static void Run(const BinaryF32Args& args) {
    for (int64_t i = 0; i < args.rows; ++i) {
      for (int64_t j = 0; j < args.cols; ++j) {
        const BinaryOperand& a = args.a;
        const BinaryOperand& b = args.b;
        const double c =
            ReferenceBinary(op, a.data[i * a.row_stride + j * a.col_stride],
                            b.data[i * b.row_stride + j * b.col_stride]);
        args.out[i * args.row_stride + j] =
            static_cast<float>(ReferenceClamp(c, args.lo, args.hi));
      }
    }
  }
};

inline UnaryF32Fn ReferenceUnaryF32(UnaryOp op) {
  return UnaryFor<ReferenceUnaryLoop>(op);
}
inline BinaryF32Fn ReferenceBinaryF32(BinaryOp op) {
  return BinaryFor<ReferenceBinaryLoop>(op);
}

}  // namespace stint
