#include "kernels/attention_f32/rows.h"
#include "kernels/attention_f32/zip_avx512.h"

namespace stint {
void PackAttentionF32Avx512(const AttentionF32Head& head) {
  PackAttention<Avx512Zip, 3>(head);
}

void AttentionF32Avx512(const AttentionF32Rows& rows) {
  RunAttention<Avx512, 8, 3>(rows);
}

}  // namespace stint
