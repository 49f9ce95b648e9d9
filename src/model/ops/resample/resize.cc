#include "model/ops/resample/resize.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/tensor/element_access.h"
#include "model/ops/input_checks.h"

namespace stint {
namespace {

// Far more than any image has, and exact in a double.
constexpr double kMaxDim = 1e12;

bool IsGiven(const Tensor* tensor) {
  return tensor != nullptr && tensor->size() > 0;
}

Result<std::vector<int64_t>> AxesOf(const Resize& op, int64_t rank) {
  if (!op.axes.empty()) return NormalizeAxes(op.axes, rank);
  std::vector<int64_t> all(static_cast<size_t>(rank));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

Status CheckCount(const char* what, const Tensor& tensor, size_t expected) {
  if (tensor.size() == static_cast<int64_t>(expected)) return OkStatus();
  return InvalidArgument(std::string(what) + " has " +
                         std::to_string(tensor.size()) +
                         " elements, expected " + std::to_string(expected));
}

Status ApplyScales(const std::vector<int64_t>& axes, const Tensor& scales,
                   std::vector<ResizedDim>* dims) {
  STINT_RETURN_IF_ERROR(CheckCount("scales", scales, axes.size()));
  const std::vector<float> values = ElementsAs<float>(scales);
  for (size_t i = 0; i < axes.size(); ++i) {
    ResizedDim& dim = (*dims)[axes[i]];
    // Single precision, as every exporter computes output sizes.
    const float out = std::floor(static_cast<float>(dim.in) * values[i]);
    if (!(values[i] > 0) || !(out < kMaxDim)) {
      return InvalidArgument("scale " + std::to_string(values[i]));
    }
    dim.scale = values[i];
    dim.out = static_cast<int64_t>(out);
  }
  return OkStatus();
}

Status KeepAspectRatio(const Resize& op, const std::vector<int64_t>& axes,
                       std::vector<ResizedDim>* dims) {
  const bool larger = op.keep_aspect_ratio_policy == "not_smaller";
  if (!larger && op.keep_aspect_ratio_policy != "not_larger") {
    return InvalidArgument("keep_aspect_ratio_policy '" +
                           op.keep_aspect_ratio_policy + "'");
  }
  double scale = (*dims)[axes[0]].scale;
  for (int64_t axis : axes) {
    scale = larger ? std::max(scale, (*dims)[axis].scale)
                   : std::min(scale, (*dims)[axis].scale);
  }
  for (int64_t axis : axes) {
    ResizedDim& dim = (*dims)[axis];
    const double out = scale * static_cast<double>(dim.in) + 0.5;
    if (!(out < kMaxDim)) return InvalidArgument("sizes are too large");
    dim.scale = scale;
    dim.out = static_cast<int64_t>(out);
  }
  return OkStatus();
}

Status ApplySizes(const Resize& op, const std::vector<int64_t>& axes,
                  const Tensor& sizes, std::vector<ResizedDim>* dims) {
  STINT_RETURN_IF_ERROR(CheckCount("sizes", sizes, axes.size()));
  const std::vector<int64_t> values = ElementsAs<int64_t>(sizes);
  for (size_t i = 0; i < axes.size(); ++i) {
    ResizedDim& dim = (*dims)[axes[i]];
    if (values[i] < 0 || static_cast<double>(values[i]) > kMaxDim ||
        (dim.in == 0 && values[i] != 0)) {
      return InvalidArgument("size " + std::to_string(values[i]) +
                             " for a dimension of " + std::to_string(dim.in));
    }
    dim.out = values[i];
    dim.scale = dim.in == 0 ? 1.0
                            : static_cast<double>(dim.out) /
                                  static_cast<double>(dim.in);
  }
  if (op.keep_aspect_ratio_policy == "stretch") return OkStatus();
  return KeepAspectRatio(op, axes, dims);
}

Status ApplyRoi(const std::vector<int64_t>& axes, const Tensor& roi,
                std::vector<ResizedDim>* dims) {
  STINT_RETURN_IF_ERROR(CheckCount("roi", roi, 2 * axes.size()));
  const std::vector<double> values = ElementsAs<double>(roi);
  for (size_t i = 0; i < axes.size(); ++i) {
    (*dims)[axes[i]].roi_begin = values[i];
    (*dims)[axes[i]].roi_end = values[axes.size() + i];
  }
  return OkStatus();
}

bool IsOneOf(const std::string& name,
             std::initializer_list<const char*> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Status CheckModes(const Resize& op) {
  if (!IsOneOf(op.mode, {"nearest", "linear", "cubic"})) {
    return InvalidArgument("mode '" + op.mode + "'");
  }
  if (!IsOneOf(op.nearest_mode,
               {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"})) {
    return InvalidArgument("nearest_mode '" + op.nearest_mode + "'");
  }
  if (!IsOneOf(op.coordinate_transformation_mode,
               {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel",
                "align_corners", "asymmetric", "tf_half_pixel_for_nn",
                "tf_crop_and_resize"})) {
    return InvalidArgument("coordinate_transformation_mode '" +
                           op.coordinate_transformation_mode + "'");
  }
  if (op.mode == "nearest" && (op.exclude_outside || op.antialias)) {
    return Unsupported("exclude_outside or antialias with mode 'nearest'");
  }
  return OkStatus();
}

}  // namespace

Result<std::vector<ResizedDim>> ResizedDims(const Resize& op, const Shape& x,
                                            const Tensor* roi,
                                            const Tensor* scales,
                                            const Tensor* sizes) {
  std::vector<ResizedDim> dims;
  for (int64_t size : x) dims.push_back({size, size});
  STINT_ASSIGN_OR_RETURN(const auto axes,
                         AxesOf(op, static_cast<int64_t>(x.size())));
  if (axes.empty()) return dims;
  if (IsGiven(scales) == IsGiven(sizes)) {
    return InvalidArgument("needs either scales or sizes");
  }
  STINT_RETURN_IF_ERROR(IsGiven(scales) ? ApplyScales(axes, *scales, &dims)
                                        : ApplySizes(op, axes, *sizes, &dims));
  if (op.coordinate_transformation_mode == "tf_crop_and_resize") {
    if (!IsGiven(roi)) return InvalidArgument("needs roi");
    STINT_RETURN_IF_ERROR(ApplyRoi(axes, *roi, &dims));
  }
  return dims;
}

Status Infer(const Resize& op, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(ExpectInputs(
      ctx, {op.mode == "nearest" ? Accepts::kAny : Accepts::kNumber},
      {Accepts::kFloat, Accepts::kFloat, Accepts::kInteger}));
  STINT_RETURN_IF_ERROR(CheckModes(op));
  ctx.SetOutputDType(0, ctx.in(0).dtype);
  if (!ctx.Ranked({0})) return OkStatus();
  const Shape& x = ctx.in(0).dims;
  if (x.empty()) return InvalidArgument("the input is a scalar");
  const bool known =
      ctx.in(0).IsConcrete() &&
      std::ranges::all_of(std::initializer_list<int>{1, 2, 3}, [&](int i) {
        return !ctx.has(i) || ctx.constant(i) != nullptr;
      });
  if (!known) {
    ctx.SetOutput(0, ctx.in(0).dtype, Shape(x.size(), kUnknownDim));
    return OkStatus();
  }
  STINT_ASSIGN_OR_RETURN(
      const auto dims,
      ResizedDims(op, x, ctx.constant(1), ctx.constant(2), ctx.constant(3)));
  Shape out;
  for (const ResizedDim& dim : dims) out.push_back(dim.out);
  STINT_RETURN_IF_ERROR(ElementCount(out).status());
  ctx.SetOutput(0, ctx.in(0).dtype, std::move(out));
  return OkStatus();
}

}  // namespace stint
