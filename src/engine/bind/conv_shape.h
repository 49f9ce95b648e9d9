#pragma once
// The sizes of a 1-D or 2-D convolution, as the kernel families take them.

#include "kernels/geometry/conv_shape.h"
#include "model/ops/linear/conv.h"

namespace stint {

// `x` is [n, c, h, w] or [n, c, w] (a height of 1), `w` the weights' shape.
Result<ConvF32Shape> ConvShapeOf(const Conv& op, const Shape& x,
                                 const Shape& w);

}  // namespace stint
