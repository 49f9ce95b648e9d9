#include "kernels/conv_f32/columns.h"
#include "kernels/conv_f32/depthwise_rows.h"
#include "kernels/simd/avx2.h"

namespace stint {

void CopyColumnsAvx2(const CopyColumns& copy) { CopyColumnsWith<Avx2>(copy); }
void DepthwiseAvx2(const DepthwisePlane& plane) { DepthwiseWith<Avx2>(plane); }

}  // namespace stint
