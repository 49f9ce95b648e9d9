#pragma once
// Resize: a tensor on a finer or coarser grid.

#include <string>
#include <string_view>
#include <vector>

#include "model/ops/fields.h"
#include "model/ops/infer_context.h"

namespace stint {

// Inputs x, roi (optional, all begins, then all ends), and either scales
// (float) or sizes (int64), one per axis of `axes` (empty: all).
struct Resize {
  static constexpr std::string_view kName = "Resize";
  int64_t antialias = 0;
  std::vector<int64_t> axes;
  std::string coordinate_transformation_mode = "half_pixel";
  float cubic_coeff_a = -0.75f;
  int64_t exclude_outside = 0;
  float extrapolation_value = 0.0f;
  std::string keep_aspect_ratio_policy = "stretch";
  std::string mode = "nearest";
  std::string nearest_mode = "round_prefer_floor";
  STINT_FIELDS(antialias, axes, coordinate_transformation_mode, cubic_coeff_a,
               exclude_outside, extrapolation_value, keep_aspect_ratio_policy,
               mode, nearest_mode)
};

// How one dimension changes.
struct ResizedDim {
  int64_t in = 0;
  int64_t out = 0;
  double scale = 1.0;  // asked for; out / in differs by rounding
  double roi_begin = 0.0;
  double roi_end = 1.0;
  // The dimension stays as it is.
  bool IsIdentity() const {
    return in == out && scale == 1.0 && roi_begin == 0.0 && roi_end == 1.0;
  }
};

// Every dimension of an input of shape `x`. Tensors may be null or empty where
// the op allows it.
Result<std::vector<ResizedDim>> ResizedDims(const Resize& op, const Shape& x,
                                            const Tensor* roi,
                                            const Tensor* scales,
                                            const Tensor* sizes);

Status Infer(const Resize& op, InferContext& ctx);

}  // namespace stint
