#include "kernels/norm_f32/rows.h"
#include "kernels/simd/avx2.h"

namespace stint {

void LayerNormF32Avx2(const RowNormF32Args& args) {
  RowNormWith<Avx2, true>(args);
}
void RmsNormF32Avx2(const RowNormF32Args& args) {
  RowNormWith<Avx2, false>(args);
}
void ChannelNormF32Avx2(const ChannelNormF32Args& args) {
  ChannelNormWith<Avx2>(args);
}

}  // namespace stint
