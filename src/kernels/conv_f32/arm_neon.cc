#include "kernels/conv_f32/columns.h"
#include "kernels/conv_f32/depthwise_rows.h"
#include "kernels/simd/neon.h"

namespace stint {

void CopyColumnsNeon(const CopyColumns& copy) { CopyColumnsWith<Neon>(copy); }
void DepthwiseNeon(const DepthwisePlane& plane) { DepthwiseWith<Neon>(plane); }

}  // namespace stint
