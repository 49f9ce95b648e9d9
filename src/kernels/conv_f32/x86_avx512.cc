#include "kernels/conv_f32/columns.h"
#include "kernels/conv_f32/depthwise_rows.h"
#include "kernels/simd/avx512.h"

namespace stint {

void CopyColumnsAvx512(const CopyColumns& copy) {
  CopyColumnsWith<Avx512>(copy);
}
void DepthwiseAvx512(const DepthwisePlane& plane) {
  DepthwiseWith<Avx512>(plane);
}

}  // namespace stint
