#include "kernels/attention_f32/rows.h"

namespace stint {
void PackAttentionF32Generic(const AttentionF32Head& head) {
  PackAttention<GenericZip, 2>(head);
}

void AttentionF32Generic(const AttentionF32Rows& rows) {
  RunAttention<Generic, 6, 2>(rows);
}

}  // namespace stint
