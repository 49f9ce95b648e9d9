#include "kernels/norm_f32/rows.h"
#include "kernels/simd/neon.h"

namespace stint {

void LayerNormF32Neon(const RowNormF32Args& args) {
  RowNormWith<Neon, true>(args);
}
void RmsNormF32Neon(const RowNormF32Args& args) {
  RowNormWith<Neon, false>(args);
}
void ChannelNormF32Neon(const ChannelNormF32Args& args) {
  ChannelNormWith<Neon>(args);
}

}  // namespace stint
