#include "model/ops/linear/conv.h"

#include <algorithm>

#include "core/base/checked_math.h"
#include "model/ops/cost.h"

namespace stint {
namespace {

// Larger than the window of any real network; times kMaxDim it does not
// overflow.
constexpr int64_t kMaxWindow = int64_t{1} << 22;

Status CheckVector(const char* name, const std::vector<int64_t>& values,
                   size_t expected, int64_t least) {
  if (values.size() != expected) {
    return InvalidArgument(std::string(name) + " has " +
                           std::to_string(values.size()) +
                           " values, expected " + std::to_string(expected));
  }
  for (int64_t value : values) {
    if (value < least || value > kMaxWindow) {
      return InvalidArgument(std::string(name) + " holds " +
                             std::to_string(value) + ", expected at least " +
                             std::to_string(least));
    }
  }
  return OkStatus();
}

int64_t Extent(const Window& w, size_t i) {
  return (w.kernel[i] - 1) * w.dilations[i] + 1;
}

Status SettleAutoPad(const std::string& auto_pad, const Shape& spatial,
                     Window* w) {
  const size_t n = spatial.size();
  if (auto_pad == "NOTSET" || auto_pad.empty()) return OkStatus();
  w->pads.assign(2 * n, 0);
  if (auto_pad == "VALID") return OkStatus();
  if (auto_pad != "SAME_UPPER" && auto_pad != "SAME_LOWER") {
    return InvalidArgument("auto_pad is '" + auto_pad +
                           "', expected NOTSET, VALID, SAME_UPPER or "
                           "SAME_LOWER");
  }
  for (size_t i = 0; i < n; ++i) {
    if (!IsKnown(spatial[i])) continue;
    const int64_t out = CeilDiv(spatial[i], w->strides[i]);
    const int64_t total = std::max<int64_t>(
        0, (out - 1) * w->strides[i] + Extent(*w, i) - spatial[i]);
    const int64_t small = total / 2;
    w->pads[i] = auto_pad == "SAME_UPPER" ? small : total - small;
    w->pads[n + i] = total - w->pads[i];
  }
  return OkStatus();
}

}  // namespace

Result<Window> ResolveWindow(Window w, const std::string& auto_pad,
                             const Shape& spatial) {
  const size_t n = spatial.size();
  if (w.strides.empty()) w.strides.assign(n, 1);
  if (w.dilations.empty()) w.dilations.assign(n, 1);
  if (w.pads.empty()) w.pads.assign(2 * n, 0);
  STINT_RETURN_IF_ERROR(CheckVector("kernel_shape", w.kernel, n, 1));
  STINT_RETURN_IF_ERROR(CheckVector("strides", w.strides, n, 1));
  STINT_RETURN_IF_ERROR(CheckVector("dilations", w.dilations, n, 1));
  STINT_RETURN_IF_ERROR(SettleAutoPad(auto_pad, spatial, &w));
  STINT_RETURN_IF_ERROR(CheckVector("pads", w.pads, 2 * n, 0));
  return w;
}

Result<Shape> WindowOutput(const Window& w, const Shape& spatial,
                           bool ceil_mode) {
  const size_t n = spatial.size();
  Shape out(n, kUnknownDim);
  for (size_t i = 0; i < n; ++i) {
    if (!IsKnown(spatial[i])) continue;
    const int64_t padded = spatial[i] + w.pads[i] + w.pads[n + i];
    const int64_t room = padded - Extent(w, i);
    if (room < 0) {
      return InvalidArgument(
          "window of extent " + std::to_string(Extent(w, i)) +
          " does not fit into padded size " + std::to_string(padded));
    }
    out[i] = room / w.strides[i] + 1;
    if (ceil_mode) {
      out[i] = CeilDiv(room, w.strides[i]) + 1;
      if ((out[i] - 1) * w.strides[i] >= spatial[i] + w.pads[i]) --out[i];
    }
  }
  return out;
}

Result<Window> ConvWindow(const Conv& op, const Shape& x, const Shape& w) {
  if (x.size() < 3 || w.size() != x.size()) {
    return InvalidArgument("input " + ToString(x) + " and weights " +
                           ToString(w) +
                           " must have the same rank of at least 3");
  }
  const Shape spatial(x.begin() + 2, x.end());
  Window window{op.kernel_shape, op.strides, op.pads, op.dilations};
  const std::vector<int64_t> weight_kernel(w.begin() + 2, w.end());
  if (window.kernel.empty()) window.kernel = weight_kernel;
  if (window.kernel != weight_kernel &&
      std::all_of(w.begin(), w.end(), IsKnown)) {
    return InvalidArgument("kernel_shape " + ToString(window.kernel) +
                           " differs from the weights' " +
                           ToString(weight_kernel));
  }
  return ResolveWindow(std::move(window), op.auto_pad, spatial);
}

Status Infer(const Conv& op, InferContext& ctx) {
  if (!ctx.Ranked({0, 1})) {
    ctx.SetOutputDType(0, ctx.in(0).dtype);
    return OkStatus();
  }
  const Shape& x = ctx.in(0).dims;
  const Shape& w = ctx.in(1).dims;
  STINT_ASSIGN_OR_RETURN(const Window window, ConvWindow(op, x, w));
  if (op.group < 1) {
    return InvalidArgument("group is " + std::to_string(op.group));
  }
  if (IsKnown(x[1]) && IsKnown(w[1]) && x[1] != w[1] * op.group) {
    return InvalidArgument("weights " + ToString(w) + " take " +
                           std::to_string(w[1] * op.group) +
                           " input channels in " + std::to_string(op.group) +
                           " groups, input 0 has " + std::to_string(x[1]));
  }
  if (IsKnown(w[0]) && w[0] % op.group != 0) {
    return InvalidArgument("weights " + ToString(w) + " do not divide into " +
                           std::to_string(op.group) + " groups");
  }
  if (ctx.Ranked({2}) && IsKnown(w[0]) &&
      (ctx.in(2).dims.size() != 1 ||
       (IsKnown(ctx.in(2).dims[0]) && ctx.in(2).dims[0] != w[0]))) {
    return InvalidArgument("bias " + ToString(ctx.in(2).dims) + ", expected [" +
                           std::to_string(w[0]) + "]");
  }
  STINT_ASSIGN_OR_RETURN(
      Shape out, WindowOutput(window, Shape(x.begin() + 2, x.end()), false));
  out.insert(out.begin(), {x[0], w[0]});
  ctx.SetOutput(0, ctx.in(0).dtype, std::move(out));
  return OkStatus();
}

int64_t Macs(const Conv&, const InferContext& ctx) {
  if (!ctx.Ranked({1})) return 0;
  const Shape& w = ctx.in(1).dims;
  return CountKnown(ctx.outputs()[0].dims) *
         CountKnown(Shape(w.begin() + 1, w.end()));
}

namespace {

// Splits the padding that a requested output size implies.
Status SettleOutputShape(const ConvTranspose& op, const Shape& spatial,
                         const std::vector<int64_t>& output_padding,
                         TransposedWindow* t) {
  const size_t n = spatial.size();
  Window& w = t->window;
  for (size_t i = 0; i < n; ++i) {
    const int64_t full =
        w.strides[i] * (spatial[i] - 1) + output_padding[i] + Extent(w, i);
    const int64_t total = std::max<int64_t>(0, full - t->output[i]);
    const int64_t small = total / 2;
    w.pads[i] = op.auto_pad == "SAME_UPPER" ? small : total - small;
    w.pads[n + i] = total - w.pads[i];
  }
  return OkStatus();
}

}  // namespace

Result<TransposedWindow> ResolveTransposed(const ConvTranspose& op,
                                           const Shape& x, const Shape& w) {
  if (x.size() < 3 || w.size() != x.size()) {
    return InvalidArgument("input " + ToString(x) + " and weights " +
                           ToString(w) +
                           " must have the same rank of at least 3");
  }
  const Shape spatial(x.begin() + 2, x.end());
  const size_t n = spatial.size();
  TransposedWindow t;
  Window window{op.kernel_shape, op.strides, op.pads, op.dilations};
  if (window.kernel.empty()) window.kernel.assign(w.begin() + 2, w.end());
  STINT_ASSIGN_OR_RETURN(t.window,
                         ResolveWindow(std::move(window), "NOTSET", spatial));
  std::vector<int64_t> output_padding = op.output_padding;
  if (output_padding.empty()) output_padding.assign(n, 0);
  STINT_RETURN_IF_ERROR(CheckVector("output_padding", output_padding, n, 0));
  const bool same = op.auto_pad.starts_with("SAME");
  if (!op.output_shape.empty() || same) {
    t.output = op.output_shape;
    if (t.output.size() == n + 2)
      t.output.erase(t.output.begin(), t.output.begin() + 2);
    if (t.output.empty()) {
      for (size_t i = 0; i < n; ++i) {
        t.output.push_back(spatial[i] * t.window.strides[i]);
      }
    }
    STINT_RETURN_IF_ERROR(CheckVector("output_shape", t.output, n, 1));
    STINT_RETURN_IF_ERROR(SettleOutputShape(op, spatial, output_padding, &t));
    return t;
  }
  for (size_t i = 0; i < n; ++i) {
    t.output.push_back(t.window.strides[i] * (spatial[i] - 1) +
                       output_padding[i] + Extent(t.window, i) -
                       t.window.pads[i] - t.window.pads[n + i]);
  }
  STINT_RETURN_IF_ERROR(CheckVector("output", t.output, n, 1));
  return t;
}

Status Infer(const ConvTranspose& op, InferContext& ctx) {
  ctx.SetOutputDType(0, ctx.in(0).dtype);
  if (!ctx.Ranked({0, 1})) return OkStatus();
  const Shape& x = ctx.in(0).dims;
  const Shape& w = ctx.in(1).dims;
  const bool settled =
      x.size() < 2 || std::all_of(x.begin() + 1, x.end(), IsKnown);
  if (!settled) return OkStatus();
  STINT_ASSIGN_OR_RETURN(const TransposedWindow t, ResolveTransposed(op, x, w));
  if (op.group < 1 || x[1] != w[0] || x[1] % op.group != 0) {
    return InvalidArgument("weights " + ToString(w) + " in " +
                           std::to_string(op.group) +
                           " groups do not fit input " + ToString(x));
  }
  Shape out = {x[0], w[1] * op.group};
  out.insert(out.end(), t.output.begin(), t.output.end());
  ctx.SetOutput(0, ctx.in(0).dtype, std::move(out));
  return OkStatus();
}

int64_t Macs(const ConvTranspose&, const InferContext& ctx) {
  if (!ctx.Ranked({0, 1})) return 0;
  const Shape& w = ctx.in(1).dims;
  return CountKnown(ctx.in(0).dims) * CountKnown(Shape(w.begin() + 1, w.end()));
}

}  // namespace stint
