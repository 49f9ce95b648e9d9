#include "model/ops/reduce/reduce.h"

#include <algorithm>
#include <numeric>

namespace stint {
namespace {

constexpr ReduceName kReduceNames[] = {
    {ReduceKind::kL1, "ReduceL1"},
    {ReduceKind::kL2, "ReduceL2"},
    {ReduceKind::kLogSum, "ReduceLogSum"},
    {ReduceKind::kLogSumExp, "ReduceLogSumExp"},
    {ReduceKind::kMax, "ReduceMax"},
    {ReduceKind::kMean, "ReduceMean"},
    {ReduceKind::kMin, "ReduceMin"},
    {ReduceKind::kProd, "ReduceProd"},
    {ReduceKind::kSum, "ReduceSum"},
    {ReduceKind::kSumSquare, "ReduceSumSquare"},
};
constexpr ArgName kArgNames[] = {
    {ArgKind::kMax, "ArgMax"},
    {ArgKind::kMin, "ArgMin"},
};

Shape DropAxes(const Shape& dims, const std::vector<int64_t>& axes,
               bool keepdims) {
  Shape out;
  for (size_t i = 0; i < dims.size(); ++i) {
    const bool reduced = std::find(axes.begin(), axes.end(),
                                   static_cast<int64_t>(i)) != axes.end();
    if (!reduced) {
      out.push_back(dims[i]);
    } else if (keepdims) {
      out.push_back(1);
    }
  }
  return out;
}

}  // namespace

std::span<const ReduceName> KindNames(const Reduce*) { return kReduceNames; }
std::span<const ArgName> KindNames(const ArgReduce*) { return kArgNames; }

Result<std::vector<int64_t>> ReduceAxes(const Reduce& op,
                                        const std::vector<int64_t>& axes,
                                        int64_t rank) {
  if (!axes.empty()) return NormalizeAxes(axes, rank);
  std::vector<int64_t> all(op.noop_with_empty_axes ? 0 : rank);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

Status Infer(const Reduce& op, InferContext& ctx) {
  ctx.SetOutputDType(0, ctx.in(0).dtype);
  if (!ctx.Ranked({0})) return OkStatus();
  if (ctx.has(1) && !ctx.constant(1)) {
    if (op.keepdims) {
      ctx.SetOutput(0, ctx.in(0).dtype,
                    Shape(ctx.in(0).dims.size(), kUnknownDim));
    }
    return OkStatus();
  }
  STINT_ASSIGN_OR_RETURN(
      const auto axes,
      ReduceAxes(op, ctx.Ints(1).value_or(std::vector<int64_t>()),
                 ctx.in(0).rank()));
  ctx.SetOutput(0, ctx.in(0).dtype,
                DropAxes(ctx.in(0).dims, axes, op.keepdims != 0));
  return OkStatus();
}

Status Infer(const ArgReduce& op, InferContext& ctx) {
  ctx.SetOutputDType(0, DType::kInt64);
  if (!ctx.Ranked({0})) return OkStatus();
  STINT_ASSIGN_OR_RETURN(const int64_t axis,
                         NormalizeAxis(op.axis, ctx.in(0).rank()));
  ctx.SetOutput(0, DType::kInt64,
                DropAxes(ctx.in(0).dims, {axis}, op.keepdims != 0));
  return OkStatus();
}

}  // namespace stint
