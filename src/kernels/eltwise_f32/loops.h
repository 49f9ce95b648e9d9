#pragma once
// The elementwise loops, one source for every vector width V.

#include "kernels/eltwise_f32/op_list.h"
#include "kernels/simd/math.h"

namespace stint {

template <class V, UnaryOp op>
STINT_INLINE typename V::F ApplyUnary(typename V::F x, float alpha,
                                      float beta) {
  using F = typename V::F;
  const F zero = V::Set1(0);
  const F one = V::Set1(1);
  if constexpr (op == UnaryOp::kAbs) return Abs<V>(x);
  if constexpr (op == UnaryOp::kNeg) return -x;
  if constexpr (op == UnaryOp::kSqrt) return V::Sqrt(x);
  if constexpr (op == UnaryOp::kReciprocal) return one / x;
  if constexpr (op == UnaryOp::kSquare) return x * x;
  if constexpr (op == UnaryOp::kRelu) return V::Max(zero, x);
  if constexpr (op == UnaryOp::kClip) return Clamp<V>(x, alpha, beta);
  if constexpr (op == UnaryOp::kLeakyRelu) {
    return V::SelectGe(x, zero, x, x * V::Set1(alpha));
  }
  if constexpr (op == UnaryOp::kElu) {
    return V::SelectGe(x, zero, x, V::Set1(alpha) * (Exp<V>(x) - one));
  }
  if constexpr (op == UnaryOp::kExp) return Exp<V>(x);
  if constexpr (op == UnaryOp::kErf) return Erf<V>(x);
  if constexpr (op == UnaryOp::kTanh) return Tanh<V>(x);
  if constexpr (op == UnaryOp::kSigmoid) return Sigmoid<V>(x);
  if constexpr (op == UnaryOp::kSilu) return Silu<V>(x);
  if constexpr (op == UnaryOp::kGeluErf) return GeluErf<V>(x);
  if constexpr (op == UnaryOp::kGeluTanh) return GeluTanh<V>(x);
  if constexpr (op == UnaryOp::kHardSigmoid) {
    return Clamp<V>(V::Fma(x, V::Set1(alpha), V::Set1(beta)), 0, 1);
  }
  if constexpr (op == UnaryOp::kHardSwish) {
    const F gate = V::Fma(x, V::Set1(1.0f / 6), V::Set1(0.5f));
    return x * Clamp<V>(gate, 0, 1);
  }
}

template <class V, BinaryOp op>
STINT_INLINE typename V::F ApplyBinary(typename V::F a, typename V::F b) {
  if constexpr (op == BinaryOp::kAdd) return a + b;
  if constexpr (op == BinaryOp::kSub) return a - b;
  if constexpr (op == BinaryOp::kMul) return a * b;
  if constexpr (op == BinaryOp::kDiv) return a / b;
  // V::Max(a, b) is b when either is NaN; a NaN in a must win, too.
  if constexpr (op == BinaryOp::kMax) {
    return V::SelectGe(a, a, V::Max(a, b), a);
  }
  if constexpr (op == BinaryOp::kMin) {
    return V::SelectGe(a, a, V::Min(a, b), a);
  }
}

template <class V>
struct EltwiseLoops {
  using F = typename V::F;

  template <UnaryOp op>
  struct Unary {
    static void Run(const UnaryF32Args& args) {
      const float alpha = args.alpha;
      const float beta = args.beta;
      int64_t i = 0;
      for (; i + V::kWidth <= args.count; i += V::kWidth) {
        V::Store(args.y + i,
                 ApplyUnary<V, op>(V::Load(args.x + i), alpha, beta));
      }
      if (const int64_t n = args.count - i; n > 0) {
        const F x = V::LoadN(args.x + i, n);
        V::StoreN(args.y + i, ApplyUnary<V, op>(x, alpha, beta), n);
      }
    }
  };

  // A row of an operand: kStep 1 walks along it, 0 repeats its one value.
  template <int kStep>
  static STINT_INLINE F Operand(const float* p, int64_t i) {
    return kStep ? V::Load(p + i) : V::Set1(*p);
  }
  template <int kStep>
  static STINT_INLINE F OperandN(const float* p, int64_t i, int64_t n) {
    return kStep ? V::LoadN(p + i, n) : V::Set1(*p);
  }

  template <BinaryOp op>
  struct Binary {
    template <int kStepA, int kStepB>
    static void Rows(const BinaryF32Args& args) {
      for (int64_t r = 0; r < args.rows; ++r) {
        const float* a = args.a.data + r * args.a.row_stride;
        const float* b = args.b.data + r * args.b.row_stride;
        float* out = args.out + r * args.row_stride;
        int64_t i = 0;
        for (; i + V::kWidth <= args.cols; i += V::kWidth) {
          const F c =
              ApplyBinary<V, op>(Operand<kStepA>(a, i), Operand<kStepB>(b, i));
          V::Store(out + i, Clamp<V>(c, args.lo, args.hi));
        }
        if (const int64_t n = args.cols - i; n > 0) {
          const F c = ApplyBinary<V, op>(OperandN<kStepA>(a, i, n),
                                         OperandN<kStepB>(b, i, n));
          V::StoreN(out + i, Clamp<V>(c, args.lo, args.hi), n);
        }
      }
    }
    static void Run(const BinaryF32Args& args) {
      if (args.a.col_stride) {
        args.b.col_stride ? Rows<1, 1>(args) : Rows<1, 0>(args);
      } else {
        args.b.col_stride ? Rows<0, 1>(args) : Rows<0, 0>(args);
      }
    }
  };
};

}  // namespace stint
