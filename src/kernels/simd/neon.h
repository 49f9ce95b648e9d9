#pragma once
// Four-lane float registers of AArch64: what generic.h says in portable syntax,
// with fused products and instructions where the compiler would find several.
// Only for arm_*.cc files.

#include <arm_neon.h>

#include "kernels/simd/generic.h"

namespace stint {

struct Neon : Generic {
  static STINT_INLINE float32x4_t In(F x) {
    return reinterpret_cast<float32x4_t>(x);
  }
  static STINT_INLINE F Out(float32x4_t x) { return reinterpret_cast<F>(x); }

  static STINT_INLINE F LoadEven(const float* p) {
    return Out(vld2q_f32(p).val[0]);
  }
  static STINT_INLINE F Fma(F a, F b, F c) {
    return Out(vfmaq_f32(In(c), In(a), In(b)));
  }
  // fmin and fmax of the CPU would return NaN: b must come back.
  static STINT_INLINE F Min(F a, F b) {
    return Out(vbslq_f32(vcltq_f32(In(a), In(b)), In(a), In(b)));
  }
  static STINT_INLINE F Max(F a, F b) {
    return Out(vbslq_f32(vcgtq_f32(In(a), In(b)), In(a), In(b)));
  }
  static STINT_INLINE F Sqrt(F a) { return Out(vsqrtq_f32(In(a))); }
  static STINT_INLINE F SelectGe(F a, F b, F yes, F no) {
    return Out(vbslq_f32(vcgeq_f32(In(a), In(b)), In(yes), In(no)));
  }
};

}  // namespace stint
