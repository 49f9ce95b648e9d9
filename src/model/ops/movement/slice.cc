#include "model/ops/movement/slice.h"

#include <algorithm>
#include <numeric>

#include "core/base/checked_math.h"

namespace stint {
namespace {

// One axis of NumPy slicing; out-of-range ends are clamped.
SliceRange ResolveAxis(int64_t dim, int64_t start, int64_t end, int64_t step) {
  const auto wrap = [&](int64_t i) { return i < 0 ? i + dim : i; };
  const int64_t low = step > 0 ? 0 : -1;
  const int64_t high = step > 0 ? dim : dim - 1;
  SliceRange range;
  range.step = step;
  // INT64_MIN style sentinels stay negative after the wrap and are clamped.
  range.start = std::clamp(start < -dim ? low : wrap(start), low, high);
  const int64_t stop = std::clamp(end < -dim ? low : wrap(end), low, high);
  const int64_t span = step > 0 ? stop - range.start : range.start - stop;
  const uint64_t stride =
      step > 0 ? static_cast<uint64_t>(step) : -static_cast<uint64_t>(step);
  range.count =
      span <= 0
          ? 0
          : static_cast<int64_t>((static_cast<uint64_t>(span) - 1) / stride) +
                1;
  return range;
}

}  // namespace

Result<std::vector<SliceRange>> ResolveSlice(
    const Shape& dims, const std::vector<int64_t>& starts,
    const std::vector<int64_t>& ends, const std::vector<int64_t>& axes,
    const std::vector<int64_t>& steps) {
  std::vector<SliceRange> ranges;
  for (int64_t dim : dims) ranges.push_back({0, 1, dim});
  if (ends.size() != starts.size() ||
      (!axes.empty() && axes.size() != starts.size()) ||
      (!steps.empty() && steps.size() != starts.size())) {
    return InvalidArgument("starts, ends, axes and steps differ in length");
  }
  std::vector<int64_t> order = axes;
  if (order.empty()) {
    order.resize(starts.size());
    std::iota(order.begin(), order.end(), 0);
  }
  STINT_ASSIGN_OR_RETURN(
      order, NormalizeAxes(order, static_cast<int64_t>(dims.size())));
  for (size_t i = 0; i < order.size(); ++i) {
    const int64_t step = steps.empty() ? 1 : steps[i];
    if (step == 0) return InvalidArgument("a step is 0");
    const int64_t dim = dims[order[i]];
    if (!IsKnown(dim)) {
      ranges[order[i]].count = kUnknownDim;
      continue;
    }
    ranges[order[i]] = ResolveAxis(dim, starts[i], ends[i], step);
  }
  return ranges;
}

Status Infer(const Slice&, InferContext& ctx) {
  ctx.SetOutputDType(0, ctx.in(0).dtype);
  if (!ctx.Ranked({0})) return OkStatus();
  const auto starts = ctx.Ints(1);
  const auto ends = ctx.Ints(2);
  const bool settled = starts && ends && (!ctx.has(3) || ctx.constant(3)) &&
                       (!ctx.has(4) || ctx.constant(4));
  if (!settled) {
    ctx.SetOutput(0, ctx.in(0).dtype,
                  Shape(ctx.in(0).dims.size(), kUnknownDim));
    return OkStatus();
  }
  STINT_ASSIGN_OR_RETURN(
      const auto ranges,
      ResolveSlice(ctx.in(0).dims, *starts, *ends,
                   ctx.Ints(3).value_or(std::vector<int64_t>()),
                   ctx.Ints(4).value_or(std::vector<int64_t>())));
  Shape out;
  for (const SliceRange& range : ranges) out.push_back(range.count);
  ctx.SetOutput(0, ctx.in(0).dtype, std::move(out));
  return OkStatus();
}

Result<std::vector<int64_t>> ResolvePads(int64_t rank,
                                         const std::vector<int64_t>& pads,
                                         const std::vector<int64_t>& axes) {
  std::vector<int64_t> order = axes;
  if (order.empty()) {
    order.resize(rank);
    std::iota(order.begin(), order.end(), 0);
  }
  STINT_ASSIGN_OR_RETURN(order, NormalizeAxes(order, rank));
  if (pads.size() != 2 * order.size()) {
    return InvalidArgument("pads " + ToString(pads) + ", expected " +
                           std::to_string(2 * order.size()) + " values");
  }
  std::vector<int64_t> resolved(2 * rank, 0);
  for (size_t i = 0; i < order.size(); ++i) {
    resolved[order[i]] = pads[i];
    resolved[rank + order[i]] = pads[order.size() + i];
  }
  return resolved;
}

Status Infer(const Pad& op, InferContext& ctx) {
  ctx.SetOutputDType(0, ctx.in(0).dtype);
  if (op.mode != "constant" && op.mode != "reflect" && op.mode != "edge" &&
      op.mode != "wrap") {
    return InvalidArgument("mode is '" + op.mode +
                           "', expected constant, reflect, edge or wrap");
  }
  if (!ctx.Ranked({0})) return OkStatus();
  const auto pads = ctx.Ints(1);
  const int64_t rank = ctx.in(0).rank();
  if (!pads || (ctx.has(3) && !ctx.constant(3))) {
    ctx.SetOutput(0, ctx.in(0).dtype, Shape(rank, kUnknownDim));
    return OkStatus();
  }
  STINT_ASSIGN_OR_RETURN(
      const auto resolved,
      ResolvePads(rank, *pads, ctx.Ints(3).value_or(std::vector<int64_t>())));
  Shape out = ctx.in(0).dims;
  for (int64_t i = 0; i < rank; ++i) {
    if (!IsKnown(out[i])) continue;
    if (!CheckedAdd(out[i], resolved[i], &out[i]) ||
        !CheckedAdd(out[i], resolved[rank + i], &out[i]) || out[i] < 0) {
      return InvalidArgument("pads " + ToString(*pads) + " do not fit shape " +
                             ToString(ctx.in(0).dims));
    }
  }
  ctx.SetOutput(0, ctx.in(0).dtype, std::move(out));
  return OkStatus();
}

}  // namespace stint
