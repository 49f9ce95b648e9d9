#pragma once
// Convolutions over N spatial dimensions, channels second ([n, c, d1, ...]).

#include <string>
#include <string_view>
#include <vector>

#include "model/ops/fields.h"
#include "model/ops/infer_context.h"

namespace stint {

// A sliding window over the spatial dimensions. Empty vectors mean 1 (strides,
// dilations) or 0 (pads: all begins, then all ends).
struct Window {
  std::vector<int64_t> kernel;
  std::vector<int64_t> strides;
  std::vector<int64_t> pads;
  std::vector<int64_t> dilations;
};

// Fills empty vectors, settles auto_pad ("NOTSET", "VALID", "SAME_UPPER",
// "SAME_LOWER") for the given spatial sizes and checks every value.
Result<Window> ResolveWindow(Window window, const std::string& auto_pad,
                             const Shape& spatial);

// Output sizes of a resolved window; kUnknownDim stays so. An output size < 1
// is an error. `ceil_mode` rounds up, but never starts a window in padding.
Result<Shape> WindowOutput(const Window& window, const Shape& spatial,
                           bool ceil_mode);

// Inputs x [n, c, spatial], w [oc, c / group, kernel], bias [oc] (optional).
struct Conv {
  static constexpr std::string_view kName = "Conv";
  std::string auto_pad = "NOTSET";
  std::vector<int64_t> dilations;
  int64_t group = 1;
  std::vector<int64_t> kernel_shape;
  std::vector<int64_t> pads;
  std::vector<int64_t> strides;
  STINT_FIELDS(auto_pad, dilations, group, kernel_shape, pads, strides)
};

// Inputs x [n, c, spatial], w [c, oc / group, kernel], bias [oc] (optional).
struct ConvTranspose {
  static constexpr std::string_view kName = "ConvTranspose";
  std::string auto_pad = "NOTSET";
  std::vector<int64_t> dilations;
  int64_t group = 1;
  std::vector<int64_t> kernel_shape;
  std::vector<int64_t> output_padding;
  std::vector<int64_t> output_shape;
  std::vector<int64_t> pads;
  std::vector<int64_t> strides;
  STINT_FIELDS(auto_pad, dilations, group, kernel_shape, output_padding,
               output_shape, pads, strides)
};

Status Infer(const Conv& op, InferContext& ctx);
Status Infer(const ConvTranspose& op, InferContext& ctx);
int64_t Macs(const Conv& op, const InferContext& ctx);
int64_t Macs(const ConvTranspose& op, const InferContext& ctx);

// The resolved window of a convolution of x by w.
Result<Window> ConvWindow(const Conv& op, const Shape& x, const Shape& w);

// Geometry of a transposed convolution: resolved strides, pads, dilations and
// the output's spatial sizes.
struct TransposedWindow {
  Window window;
  Shape output;
};
Result<TransposedWindow> ResolveTransposed(const ConvTranspose& op,
                                           const Shape& x, const Shape& w);

}  // namespace stint
