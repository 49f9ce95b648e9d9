#include "kernels/attention_bf16/pack_head.h"
#include "kernels/attention_bf16/tile_rows.h"
#include "kernels/attention_f32/zip_avx512.h"

namespace stint {

void PackAttentionBf16Amx(const AttentionF32Head& head) {
  PackTileHead<Avx512Zip>(head);
}

void PackKeysAttentionBf16Amx(const AttentionF32Head& head, int64_t begin,
                              int64_t end) {
  PackTileRange<Avx512Zip>(head, begin, end);
}

void AttentionBf16Amx(const AttentionF32Rows& rows) {
  RunTileAttention<AmxTiles, Avx512Zip>(rows);
}

}  // namespace stint
