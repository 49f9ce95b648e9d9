#include "kernels/attention_bf16/pack_head.h"
#include "kernels/attention_bf16/tile_rows.h"
#include "kernels/attention_f32/zip_avx512.h"
#include "kernels/simd/avx512_bf16.h"
#include "kernels/simd/dot_tiles.h"

namespace stint {
namespace {

struct Zip : Avx512Bf16 {
  static STINT_INLINE F ZipLow(F a, F b) { return Avx512Zip::ZipLow(a, b); }
  static STINT_INLINE F ZipHigh(F a, F b) { return Avx512Zip::ZipHigh(a, b); }
};

}  // namespace

void PackAttentionBf16Dot(const AttentionF32Head& head) {
  PackTileHead<Zip>(head);
}

void PackKeysAttentionBf16Dot(const AttentionF32Head& head, int64_t begin,
                              int64_t end) {
  PackTileRange<Zip>(head, begin, end);
}

void AttentionBf16Dot(const AttentionF32Rows& rows) {
  RunTileAttention<DotTiles, Zip>(rows);
}

}  // namespace stint
