#include "engine/bind/conv_shape.h"

namespace stint {

Result<ConvF32Shape> ConvShapeOf(const Conv& op, const Shape& x,
                                 const Shape& w) {
  STINT_ASSIGN_OR_RETURN(const Window window, ConvWindow(op, x, w));
  STINT_ASSIGN_OR_RETURN(
      const Shape out,
      WindowOutput(window, Shape(x.begin() + 2, x.end()), false));
  const bool flat = x.size() == 3;  // height of 1
  const size_t last = flat ? 0 : 1;
  ConvF32Shape s;
  s.batch = x[0];
  s.groups = op.group;
  s.in_channels = x[1];
  s.out_channels = w[0];
  s.in_h = flat ? 1 : x[2];
  s.in_w = x.back();
  s.out_h = flat ? 1 : out[0];
  s.out_w = out.back();
  s.kernel_h = flat ? 1 : window.kernel[0];
  s.kernel_w = window.kernel[last];
  s.stride_h = flat ? 1 : window.strides[0];
  s.stride_w = window.strides[last];
  s.dilation_h = flat ? 1 : window.dilations[0];
  s.dilation_w = window.dilations[last];
  s.pad_top = flat ? 0 : window.pads[0];
  s.pad_left = window.pads[last];
  return s;
}

}  // namespace stint
