#pragma once
// Ops that read images between their elements, at computed coordinates.

#include <string>
#include <string_view>
#include <vector>

#include "model/ops/fields.h"
#include "model/ops/infer_context.h"
#include "model/ops/linear/conv.h"

namespace stint {

// Inputs x [n, c, spatial], grid [n, out spatial, rank of spatial] of
// coordinates in [-1, 1], the last dimension of x first.
struct GridSample {
  static constexpr std::string_view kName = "GridSample";
  int64_t align_corners = 0;
  std::string mode = "linear";         // "linear", "nearest", "cubic"
  std::string padding_mode = "zeros";  // "zeros", "border", "reflection"
  STINT_FIELDS(align_corners, mode, padding_mode)
};

// Inputs theta [n, 2, 3] or [n, 3, 4], size (n, c, spatial); output is a grid
// for GridSample.
struct AffineGrid {
  static constexpr std::string_view kName = "AffineGrid";
  int64_t align_corners = 0;
  STINT_FIELDS(align_corners)
};

// Inputs x [n, c, h, w], rois [r, 4] (x1, y1, x2, y2), batch indices [r].
struct RoiAlign {
  static constexpr std::string_view kName = "RoiAlign";
  std::string coordinate_transformation_mode = "half_pixel";
  std::string mode = "avg";
  int64_t output_height = 1;
  int64_t output_width = 1;
  int64_t sampling_ratio = 0;
  float spatial_scale = 1.0f;
  STINT_FIELDS(coordinate_transformation_mode, mode, output_height,
               output_width, sampling_ratio, spatial_scale)
};

// Inputs x [n, c, h, w], w [oc, c / group, kh, kw], offset
// [n, offset_group * kh * kw * 2, oh, ow], bias [oc] (optional), mask
// [n, offset_group * kh * kw, oh, ow] (optional).
struct DeformConv {
  static constexpr std::string_view kName = "DeformConv";
  std::vector<int64_t> dilations;
  int64_t group = 1;
  std::vector<int64_t> kernel_shape;
  int64_t offset_group = 1;
  std::vector<int64_t> pads;
  std::vector<int64_t> strides;
  STINT_FIELDS(dilations, group, kernel_shape, offset_group, pads, strides)
};

Status Infer(const GridSample& op, InferContext& ctx);
Status Infer(const AffineGrid& op, InferContext& ctx);
Status Infer(const RoiAlign& op, InferContext& ctx);
Status Infer(const DeformConv& op, InferContext& ctx);
int64_t Macs(const DeformConv& op, const InferContext& ctx);

// The resolved window of a deformable convolution of x by w.
Result<Window> DeformWindow(const DeformConv& op, const Shape& x,
                            const Shape& w);

}  // namespace stint
