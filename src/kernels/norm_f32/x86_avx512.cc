#include "kernels/norm_f32/rows.h"
#include "kernels/simd/avx512.h"

namespace stint {

void LayerNormF32Avx512(const RowNormF32Args& args) {
  RowNormWith<Avx512, true>(args);
}
void RmsNormF32Avx512(const RowNormF32Args& args) {
  RowNormWith<Avx512, false>(args);
}
void ChannelNormF32Avx512(const ChannelNormF32Args& args) {
  ChannelNormWith<Avx512>(args);
}

}  // namespace stint
