#include "kernels/simd/generic.h"

#include "kernels/conv_f32/columns.h"
#include "kernels/conv_f32/depthwise_rows.h"

namespace stint {

void CopyColumnsGeneric(const CopyColumns& copy) {
  CopyColumnsWith<Generic>(copy);
}
void DepthwiseGeneric(const DepthwisePlane& plane) {
  DepthwiseWith<Generic>(plane);
}

}  // namespace stint
