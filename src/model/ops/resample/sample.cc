#include "model/ops/resample/sample.h"

#include "core/base/checked_math.h"
#include "model/ops/cost.h"
#include "model/ops/input_checks.h"

namespace stint {
namespace {

// Sizes of sampling grids beyond this are errors of a file, not models.
constexpr int64_t kMaxSampling = 1 << 16;

bool SameDim(int64_t a, int64_t b) {
  return !IsKnown(a) || !IsKnown(b) || a == b;
}

}  // namespace

Status Infer(const GridSample& op, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(ExpectInputs(ctx, {Accepts::kNumber, Accepts::kFloat}));
  if (op.mode != "linear" && op.mode != "nearest" && op.mode != "cubic") {
    return InvalidArgument("mode '" + op.mode + "'");
  }
  if (op.padding_mode != "zeros" && op.padding_mode != "border" &&
      op.padding_mode != "reflection") {
    return InvalidArgument("padding_mode '" + op.padding_mode + "'");
  }
  ctx.SetOutputDType(0, ctx.in(0).dtype);
  if (!ctx.Ranked({0, 1})) return OkStatus();
  const Shape& x = ctx.in(0).dims;
  const Shape& grid = ctx.in(1).dims;
  const int64_t spatial = ctx.in(0).rank() - 2;
  if (spatial < 1 || spatial > 8 || grid.size() != x.size() ||
      !SameDim(grid.back(), spatial) || !SameDim(grid[0], x[0])) {
    return InvalidArgument("grid " + ToString(grid) + " does not fit input " +
                           ToString(x));
  }
  Shape out = {x[0], x[1]};
  out.insert(out.end(), grid.begin() + 1, grid.end() - 1);
  ctx.SetOutput(0, ctx.in(0).dtype, std::move(out));
  return OkStatus();
}

Status Infer(const AffineGrid&, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(
      ExpectInputs(ctx, {Accepts::kFloat, Accepts::kInteger}));
  STINT_RETURN_IF_ERROR(ExpectRank(ctx, 0, 3));
  STINT_RETURN_IF_ERROR(ExpectRank(ctx, 1, 1));
  ctx.SetOutputDType(0, ctx.in(0).dtype);
  const auto size = ctx.Ints(1);
  if (!ctx.Ranked({0}) || !size) return OkStatus();
  const Shape& theta = ctx.in(0).dims;
  const int64_t spatial = static_cast<int64_t>(size->size()) - 2;
  if ((spatial != 2 && spatial != 3) || !SameDim(theta[1], spatial) ||
      !SameDim(theta[2], spatial + 1) || !SameDim(theta[0], (*size)[0])) {
    return InvalidArgument("theta " + ToString(theta) + " does not fit size " +
                           ToString(*size));
  }
  Shape out = {(*size)[0]};
  out.insert(out.end(), size->begin() + 2, size->end());
  out.push_back(spatial);
  STINT_RETURN_IF_ERROR(ElementCount(out).status());
  ctx.SetOutput(0, ctx.in(0).dtype, std::move(out));
  return OkStatus();
}

Status Infer(const RoiAlign& op, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(
      ExpectInputs(ctx, {Accepts::kFloat, Accepts::kFloat, Accepts::kInteger}));
  STINT_RETURN_IF_ERROR(ExpectRank(ctx, 0, 4));
  STINT_RETURN_IF_ERROR(ExpectRank(ctx, 1, 2));
  STINT_RETURN_IF_ERROR(ExpectRank(ctx, 2, 1));
  if (op.mode != "avg" && op.mode != "max") {
    return InvalidArgument("mode '" + op.mode + "'");
  }
  if (op.coordinate_transformation_mode != "half_pixel" &&
      op.coordinate_transformation_mode != "output_half_pixel") {
    return InvalidArgument("coordinate_transformation_mode '" +
                           op.coordinate_transformation_mode + "'");
  }
  if (op.output_height < 1 || op.output_width < 1 || op.sampling_ratio < 0 ||
      op.output_height > kMaxSampling || op.output_width > kMaxSampling ||
      op.sampling_ratio > kMaxSampling) {
    return InvalidArgument("output size or sampling ratio out of range");
  }
  ctx.SetOutputDType(0, ctx.in(0).dtype);
  if (!ctx.Ranked({0, 1, 2})) return OkStatus();
  const Shape& rois = ctx.in(1).dims;
  if (!SameDim(rois[1], 4) || !SameDim(rois[0], ctx.in(2).dims[0])) {
    return InvalidArgument("rois " + ToString(rois) + ", expected [" +
                           std::to_string(ctx.in(2).dims[0]) + ",4]");
  }
  ctx.SetOutput(
      0, ctx.in(0).dtype,
      {rois[0], ctx.in(0).dims[1], op.output_height, op.output_width});
  return OkStatus();
}

Result<Window> DeformWindow(const DeformConv& op, const Shape& x,
                            const Shape& w) {
  Window window{op.kernel_shape, op.strides, op.pads, op.dilations};
  if (window.kernel.empty()) window.kernel.assign(w.begin() + 2, w.end());
  if (window.kernel != std::vector<int64_t>(w.begin() + 2, w.end())) {
    return InvalidArgument("kernel_shape does not fit weights " + ToString(w));
  }
  return ResolveWindow(std::move(window), "NOTSET",
                       Shape(x.begin() + 2, x.end()));
}

namespace {

// offset and mask have one plane (of two, or one) per kernel element.
Status CheckPlanes(const InferContext& ctx, int i, int64_t planes,
                   const Shape& out) {
  if (!ctx.Ranked({i})) return OkStatus();
  const Shape& dims = ctx.in(i).dims;
  if (dims.size() == 4 && SameDim(dims[0], out[0]) &&
      SameDim(dims[1], planes) && SameDim(dims[2], out[2]) &&
      SameDim(dims[3], out[3])) {
    return OkStatus();
  }
  return InvalidArgument(
      "input " + std::to_string(i) + " is " + ToString(dims) + ", expected [" +
      std::to_string(out[0]) + "," + std::to_string(planes) + "," +
      std::to_string(out[2]) + "," + std::to_string(out[3]) + "]");
}

Status CheckChannels(const DeformConv& op, const InferContext& ctx) {
  const Shape& x = ctx.in(0).dims;
  const Shape& w = ctx.in(1).dims;
  if (op.group < 1 || op.offset_group < 1 || x[1] % op.group != 0 ||
      w[1] != x[1] / op.group || w[0] % op.group != 0 ||
      x[1] % op.offset_group != 0) {
    return InvalidArgument("weights " + ToString(w) + " do not fit input " +
                           ToString(x) + " in " + std::to_string(op.group) +
                           " groups");
  }
  if (ctx.Ranked({3}) &&
      (ctx.in(3).rank() != 1 || !SameDim(ctx.in(3).dims[0], w[0]))) {
    return InvalidArgument("bias " + ToString(ctx.in(3).dims) +
                           " does not fit weights " + ToString(w));
  }
  return OkStatus();
}

}  // namespace

Status Infer(const DeformConv& op, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(
      ExpectInputs(ctx, {Accepts::kFloat, Accepts::kFloat, Accepts::kFloat},
                   {Accepts::kFloat, Accepts::kFloat}));
  if (ctx.Ranked({0}) && ctx.in(0).rank() != 4) {
    return Unsupported("input of rank " + std::to_string(ctx.in(0).rank()));
  }
  STINT_RETURN_IF_ERROR(ExpectRank(ctx, 1, 4));
  ctx.SetOutputDType(0, ctx.in(0).dtype);
  if (!ctx.Ranked({0, 1, 2}) || !ctx.in(0).IsConcrete() ||
      !ctx.in(1).IsConcrete()) {
    return OkStatus();
  }
  const Shape& x = ctx.in(0).dims;
  const Shape& w = ctx.in(1).dims;
  STINT_RETURN_IF_ERROR(CheckChannels(op, ctx));
  STINT_ASSIGN_OR_RETURN(const Window window, DeformWindow(op, x, w));
  STINT_ASSIGN_OR_RETURN(const Shape spatial,
                         WindowOutput(window, {x[2], x[3]}, false));
  const Shape out = {x[0], w[0], spatial[0], spatial[1]};
  int64_t taps = 0;
  if (!CheckedMul(w[2] * w[3], op.offset_group, &taps)) {
    return InvalidArgument("offset_group is too large");
  }
  STINT_RETURN_IF_ERROR(CheckPlanes(ctx, 2, taps * 2, out));
  STINT_RETURN_IF_ERROR(CheckPlanes(ctx, 4, taps, out));
  ctx.SetOutput(0, ctx.in(0).dtype, out);
  return OkStatus();
}

int64_t Macs(const DeformConv&, const InferContext& ctx) {
  if (!ctx.Ranked({1})) return 0;
  const Shape& w = ctx.in(1).dims;
  return CountKnown(ctx.outputs()[0].dims) * CountKnown({w[1], w[2], w[3]});
}

}  // namespace stint
