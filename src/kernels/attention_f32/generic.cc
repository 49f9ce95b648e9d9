#include "kernels/simd/generic.h"

#include "kernels/attention_f32/rows.h"

namespace stint {
namespace {

struct GenericZip : Generic {
  static STINT_INLINE F ZipLow(F a, F b) { return F{a[0], b[0], a[1], b[1]}; }
  static STINT_INLINE F ZipHigh(F a, F b) { return F{a[2], b[2], a[3], b[3]}; }
};

}  // namespace

void PackAttentionF32Generic(const AttentionF32Head& head) {
  PackAttention<GenericZip, 2>(head);
}

void AttentionF32Generic(const AttentionF32Rows& rows) {
  RunAttention<Generic, 6, 2>(rows);
}

}  // namespace stint
