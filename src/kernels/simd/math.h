#pragma once
// exp, erf, tanh and the activations made of them on registers, one formula
// for every vector width V. NaN in gives NaN out; infinities are exact.

#include <cstdint>

#include "kernels/simd/generic.h"

namespace stint {

// Keeps x within [lo, hi]; NaN stays NaN.
template <class V>
STINT_INLINE typename V::F Clamp(typename V::F x, float lo, float hi) {
  return V::Min(V::Set1(hi), V::Max(V::Set1(lo), x));
}

template <class V>
STINT_INLINE typename V::F Abs(typename V::F x) {
  using I = typename V::I;
  const I bits = reinterpret_cast<I>(x) & 0x7fffffff;
  return reinterpret_cast<typename V::F>(bits);
}

// The magnitude of `x` with the sign of `sign`.
template <class V>
STINT_INLINE typename V::F CopySign(typename V::F x, typename V::F sign) {
  using I = typename V::I;
  const I bits = (reinterpret_cast<I>(x) & 0x7fffffff) |
                 (reinterpret_cast<I>(sign) & INT32_MIN);
  return reinterpret_cast<typename V::F>(bits);
}

// 1 / x within 2 ulp for normal x with a normal result; no other x.
template <class V>
STINT_INLINE typename V::F Reciprocal(typename V::F x) {
  if constexpr (requires { V::Reciprocal(x); }) {
    return V::Reciprocal(x);
  } else {
    return V::Set1(1.0f) / x;
  }
}

// 2^n for -126 <= n <= 127.
template <class V>
STINT_INLINE typename V::F PowerOfTwo(typename V::I n) {
  return reinterpret_cast<typename V::F>((n + 127) << 23);
}

// e^x within 2 ulp, subnormal results included: x = n ln2 + r, |r| <= ln2 / 2,
// e^r by its Taylor-like minimax polynomial of degree 6.
template <class V>
STINT_INLINE typename V::F Exp(typename V::F x) {
  using F = typename V::F;
  using I = typename V::I;
  // Beyond these the result is 0 or infinity anyway.
  x = Clamp<V>(x, -104.0f, 89.0f);
  // Adding 1.5 * 2^23 leaves the nearest integer in the low mantissa bits.
  const F magic = V::Set1(12582912.0f);
  const F shifted = V::Fma(x, V::Set1(1.44269504088896341f), magic);
  const F n = shifted - magic;
  F r = V::Fma(n, V::Set1(-0.693359375f), x);
  r = V::Fma(n, V::Set1(2.12194440e-4f), r);
  F p = V::Set1(1.9875691500e-4f);
  p = V::Fma(p, r, V::Set1(1.3981999507e-3f));
  p = V::Fma(p, r, V::Set1(8.3334519073e-3f));
  p = V::Fma(p, r, V::Set1(4.1665795894e-2f));
  p = V::Fma(p, r, V::Set1(1.6666665459e-1f));
  p = V::Fma(p, r, V::Set1(5.0000001201e-1f));
  p = V::Fma(p, r * r, r) + V::Set1(1.0f);
  // Two factors reach 2^128 and the subnormals.
  const I whole = reinterpret_cast<I>(shifted) - reinterpret_cast<I>(magic);
  const I half = whole >> 1;
  return p * PowerOfTwo<V>(half) * PowerOfTwo<V>(whole - half);
}

// sum of c[i] * x^i, i in [0, kCount).
template <class V, int kCount>
STINT_INLINE typename V::F Polynomial(const float (&c)[kCount],
                                      typename V::F x) {
  typename V::F sum = V::Set1(c[kCount - 1]);
#pragma GCC unroll 16
  for (int i = kCount - 2; i >= 0; --i) sum = V::Fma(sum, x, V::Set1(c[i]));
  return sum;
}

// e^x for x <= 0, as good as `series` is for e^r with |r| <= ln2 / 2, where x =
// n ln2 + r. 0 where e^x is subnormal: such numbers would cost an assist each.
template <class V, int kCount>
STINT_INLINE typename V::F ExpBelowZero(const float (&series)[kCount],
                                        typename V::F x) {
  using F = typename V::F;
  using I = typename V::I;
  x = V::Max(V::Set1(-88.0f), x);
  // 1.5 * 2^23 + 127 leaves the exponent of 2^n in the low mantissa bits.
  const F magic = V::Set1(12583039.0f);
  const F shifted = V::Fma(x, V::Set1(1.44269504088896341f), magic);
  const F n = shifted - magic;
  const F r = V::Fma(n, V::Set1(-0.693147180559945309f), x);
  const I power = reinterpret_cast<I>(shifted) << 23;
  return Polynomial<V>(series, r) * reinterpret_cast<F>(power);
}

// Within 3e-7 of erf: odd rational approximation on [-4, 4], +-1 outside.
template <class V>
STINT_INLINE typename V::F Erf(typename V::F x) {
  using F = typename V::F;
  constexpr float kTop[] = {-1.60960333262415e-02f, -2.95459980854025e-03f,
                            -7.34990630326855e-04f, -5.69250639462346e-05f,
                            -2.10102402082508e-06f, 2.77068142495902e-08f,
                            -2.72614225801306e-10f};
  constexpr float kBottom[] = {-1.42647390514189e-02f, -7.37332916720468e-03f,
                               -1.68282697438203e-03f, -2.13374055278905e-04f,
                               -1.45660718464996e-05f};
  const F t = Clamp<V>(x, -4.0f, 4.0f);
  const F t2 = t * t;
  const F y =
      t * Polynomial<V>(kTop, t2) * Reciprocal<V>(Polynomial<V>(kBottom, t2));
  return V::SelectGe(Abs<V>(x), V::Set1(4.0f), CopySign<V>(V::Set1(1.0f), x),
                     y);
}

// Within 4e-7 of tanh: odd rational approximation on [-7.9, 7.9], +-1 beyond 9.
template <class V>
STINT_INLINE typename V::F Tanh(typename V::F x) {
  using F = typename V::F;
  constexpr float kTop[] = {4.89352455891786e-03f,  6.37261928875436e-04f,
                            1.48572235717979e-05f,  5.12229709037114e-08f,
                            -8.60467152213735e-11f, 2.00018790482477e-13f,
                            -2.76076847742355e-16f};
  constexpr float kBottom[] = {4.89352518554385e-03f, 2.26843463243900e-03f,
                               1.18534705686654e-04f, 1.19825839466702e-06f};
  const F t = Clamp<V>(x, -7.90531110763549805f, 7.90531110763549805f);
  const F t2 = t * t;
  const F y = t * Polynomial<V>(kTop, t2) / Polynomial<V>(kBottom, t2);
  return V::SelectGe(Abs<V>(x), V::Set1(9.0f), CopySign<V>(V::Set1(1.0f), x),
                     y);
}

// 1 + 2^t for t = min(-x log2 e, kMost), with V's own power: its inverse is
// exact enough up to 2^126.
template <class V>
STINT_INLINE typename V::F SigmoidBottom(typename V::F x) {
  constexpr float kMost = 125;
  const typename V::F t =
      V::Min(V::Set1(kMost), x * V::Set1(-1.44269504088896341f));
  return V::Set1(1.0f) + V::Power2(t);
}

// 1 / (1 + e^-x). Where V has a power and an inverse, what is below 1e-37 is 0.
template <class V>
STINT_INLINE typename V::F Sigmoid(typename V::F x) {
  if constexpr (requires { V::Inverse(x); }) {
    return V::SelectGe(V::Set1(-86.0f), x, V::Set1(0.0f),
                       V::Inverse(SigmoidBottom<V>(x)));
  } else {
    const typename V::F one = V::Set1(1.0f);
    return one / (one + Exp<V>(-x));
  }
}

// x / (1 + e^-x).
template <class V>
STINT_INLINE typename V::F Silu(typename V::F x) {
  if constexpr (requires { V::Inverse(x); }) {
    return x * V::Inverse(SigmoidBottom<V>(x));
  } else {
    return x * Sigmoid<V>(x);
  }
}

// x / 2 * (1 + erf(x / sqrt 2)).
template <class V>
STINT_INLINE typename V::F GeluErf(typename V::F x) {
  if constexpr (requires { V::GeluErf(x); }) {
    return V::GeluErf(x);
  } else {
    const typename V::F erf = Erf<V>(x * V::Set1(0.70710678118654752f));
    return x * V::Set1(0.5f) * (V::Set1(1.0f) + erf);
  }
}

// x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))).
template <class V>
STINT_INLINE typename V::F GeluTanh(typename V::F x) {
  using F = typename V::F;
  const F cubic = V::Fma(x * x * x, V::Set1(0.044715f), x);
  const F tanh = Tanh<V>(cubic * V::Set1(0.79788456080286536f));
  return x * V::Set1(0.5f) * (V::Set1(1.0f) + tanh);
}

// Joins the lanes of x by `op`, halves pairwise down to four lanes.
template <class V, class Op>
STINT_INLINE Generic::F FoldToFour(typename V::F x, Op op) {
  constexpr int kQuarters = V::kWidth / 4;
  float lanes[V::kWidth];
  V::Store(lanes, x);
  Generic::F four[kQuarters];
#pragma GCC unroll 4
  for (int i = 0; i < kQuarters; ++i) four[i] = Generic::Load(lanes + 4 * i);
#pragma GCC unroll 2
  for (int half = kQuarters / 2; half > 0; half /= 2) {
#pragma GCC unroll 2
    for (int i = 0; i < half; ++i) four[i] = op(four[i], four[i + half]);
  }
  return four[0];
}

// Halves are added pairwise, an order that does not depend on the compiler.
template <class V>
STINT_INLINE float SumLanes(typename V::F x) {
  using F = Generic::F;
  const F four = FoldToFour<V>(x, [](F a, F b) { return a + b; });
  return (four[0] + four[2]) + (four[1] + four[3]);
}

// The largest lane; unspecified if any is NaN.
template <class V>
STINT_INLINE float MaxLane(typename V::F x) {
  const Generic::F four = FoldToFour<V>(x, Generic::Max);
  const float even = four[0] > four[2] ? four[0] : four[2];
  const float odd = four[1] > four[3] ? four[1] : four[3];
  return even > odd ? even : odd;
}

}  // namespace stint
