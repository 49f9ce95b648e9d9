#include "model/ops/reduce/cumulative.h"

#include "model/ops/input_checks.h"

namespace stint {
namespace {

constexpr CumulativeName kNames[] = {
    {CumulativeKind::kSum, "CumSum"},
    {CumulativeKind::kProd, "CumProd"},
};

}  // namespace

std::span<const CumulativeName> KindNames(const Cumulative*) { return kNames; }

Status Infer(const Cumulative&, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(
      ExpectInputs(ctx, {Accepts::kNumber, Accepts::kInteger}));
  STINT_RETURN_IF_ERROR(ExpectOneElement(ctx, 1));
  ctx.SetOutput(0, ctx.in(0));
  return OkStatus();
}

Status Infer(const Det&, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(ExpectInputs(ctx, {Accepts::kFloat}));
  ctx.SetOutputDType(0, ctx.in(0).dtype);
  if (!ctx.Ranked({0})) return OkStatus();
  const Shape& x = ctx.in(0).dims;
  const size_t rank = x.size();
  if (rank < 2 || (IsKnown(x[rank - 1]) && IsKnown(x[rank - 2]) &&
                   x[rank - 1] != x[rank - 2])) {
    return InvalidArgument("input " + ToString(x) +
                           " is not made of square matrices");
  }
  ctx.SetOutput(0, ctx.in(0).dtype, Shape(x.begin(), x.end() - 2));
  return OkStatus();
}

}  // namespace stint
