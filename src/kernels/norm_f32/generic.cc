#include "kernels/simd/generic.h"

#include "kernels/norm_f32/rows.h"

namespace stint {

void LayerNormF32Generic(const RowNormF32Args& args) {
  RowNormWith<Generic, true>(args);
}
void RmsNormF32Generic(const RowNormF32Args& args) {
  RowNormWith<Generic, false>(args);
}
void ChannelNormF32Generic(const ChannelNormF32Args& args) {
  ChannelNormWith<Generic>(args);
}

}  // namespace stint
