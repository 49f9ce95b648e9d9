#include "kernels/attention_f32/rows.h"
#include "kernels/simd/neon.h"

namespace stint {
namespace {

struct NeonZip : Neon {
  static STINT_INLINE F ZipLow(F a, F b) {
    return Out(vzip1q_f32(In(a), In(b)));
  }
  static STINT_INLINE F ZipHigh(F a, F b) {
    return Out(vzip2q_f32(In(a), In(b)));
  }
};

}  // namespace

void PackAttentionF32Neon(const AttentionF32Head& head) {
  PackAttention<NeonZip, 2>(head);
}

void AttentionF32Neon(const AttentionF32Rows& rows) {
  RunAttention<Neon, 8, 2>(rows);
}

}  // namespace stint
