#include "model/ops/movement/arrange.h"

#include <algorithm>

#include "core/base/checked_math.h"

namespace stint {

Result<std::vector<int64_t>> Permutation(const Transpose& op, int64_t rank) {
  std::vector<int64_t> perm = op.perm;
  if (perm.empty()) {
    for (int64_t i = rank - 1; i >= 0; --i) perm.push_back(i);
  }
  if (static_cast<int64_t>(perm.size()) != rank) {
    return InvalidArgument("perm " + ToString(perm) + " for rank " +
                           std::to_string(rank));
  }
  return NormalizeAxes(perm, rank);
}

Status Infer(const Transpose& op, InferContext& ctx) {
  ctx.SetOutputDType(0, ctx.in(0).dtype);
  if (!ctx.Ranked({0})) return OkStatus();
  STINT_ASSIGN_OR_RETURN(const auto perm, Permutation(op, ctx.in(0).rank()));
  Shape out;
  for (int64_t axis : perm) out.push_back(ctx.in(0).dims[axis]);
  ctx.SetOutput(0, ctx.in(0).dtype, std::move(out));
  return OkStatus();
}

Status Infer(const Concat& op, InferContext& ctx) {
  ctx.SetOutputDType(0, ctx.in(0).dtype);
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    if (!ctx.Ranked({i})) return OkStatus();
  }
  Shape out = ctx.in(0).dims;
  STINT_ASSIGN_OR_RETURN(const int64_t axis,
                         NormalizeAxis(op.axis, ctx.in(0).rank()));
  for (int i = 1; i < ctx.num_inputs(); ++i) {
    const Shape& dims = ctx.in(i).dims;
    if (dims.size() != out.size() || ctx.in(i).dtype != ctx.in(0).dtype) {
      return InvalidArgument("input " + std::to_string(i) + " " +
                             ToString(dims) + " does not join " +
                             ToString(out));
    }
    for (size_t d = 0; d < out.size(); ++d) {
      if (static_cast<int64_t>(d) == axis) {
        out[d] = IsKnown(out[d]) && IsKnown(dims[d]) ? out[d] + dims[d]
                                                     : kUnknownDim;
      } else if (!IsKnown(out[d])) {
        out[d] = dims[d];
      } else if (IsKnown(dims[d]) && dims[d] != out[d]) {
        return InvalidArgument("input " + std::to_string(i) + " " +
                               ToString(dims) + " does not join " +
                               ToString(ctx.in(0).dims) + " along axis " +
                               std::to_string(axis));
      }
    }
  }
  ctx.SetOutput(0, ctx.in(0).dtype, std::move(out));
  return OkStatus();
}

namespace {

Result<std::vector<int64_t>> SplitSizes(const Split& op, int64_t size,
                                        const InferContext& ctx) {
  const int64_t parts = ctx.num_outputs();
  if (ctx.has(1)) {
    const auto sizes = ctx.Ints(1);
    if (!sizes) return std::vector<int64_t>(parts, kUnknownDim);
    int64_t total = 0;
    for (int64_t part : *sizes) {
      if (part < 0 || !CheckedAdd(total, part, &total)) {
        return InvalidArgument("sizes " + ToString(*sizes));
      }
    }
    if (static_cast<int64_t>(sizes->size()) != parts ||
        (IsKnown(size) && total != size)) {
      return InvalidArgument(
          "sizes " + ToString(*sizes) + " do not split dimension of " +
          std::to_string(size) + " into " + std::to_string(parts) + " outputs");
    }
    return *sizes;
  }
  if (op.num_outputs > 0 && op.num_outputs != parts) {
    return InvalidArgument("num_outputs is " + std::to_string(op.num_outputs) +
                           ", the node has " + std::to_string(parts) +
                           " outputs");
  }
  if (!IsKnown(size)) return std::vector<int64_t>(parts, kUnknownDim);
  // Equal parts as long as they last; what is left comes last.
  std::vector<int64_t> sizes;
  int64_t left = size;
  for (int64_t i = 0; i < parts; ++i) {
    sizes.push_back(std::min(left, CeilDiv(size, parts)));
    left -= sizes.back();
  }
  return sizes;
}

}  // namespace

Status Infer(const Split& op, InferContext& ctx) {
  for (int i = 0; i < ctx.num_outputs(); ++i) {
    ctx.SetOutputDType(i, ctx.in(0).dtype);
  }
  if (!ctx.Ranked({0})) return OkStatus();
  STINT_ASSIGN_OR_RETURN(const int64_t axis,
                         NormalizeAxis(op.axis, ctx.in(0).rank()));
  STINT_ASSIGN_OR_RETURN(const auto sizes,
                         SplitSizes(op, ctx.in(0).dims[axis], ctx));
  for (int i = 0; i < ctx.num_outputs(); ++i) {
    Shape out = ctx.in(0).dims;
    out[axis] = sizes[i];
    ctx.SetOutput(i, ctx.in(0).dtype, std::move(out));
  }
  return OkStatus();
}

Status Infer(const Tile&, InferContext& ctx) {
  ctx.SetOutputDType(0, ctx.in(0).dtype);
  const auto repeats = ctx.Ints(1);
  if (!ctx.Ranked({0}) || !repeats) return OkStatus();
  Shape out = ctx.in(0).dims;
  if (repeats->size() != out.size()) {
    return InvalidArgument("repeats " + ToString(*repeats) + " for shape " +
                           ToString(out));
  }
  for (size_t i = 0; i < out.size(); ++i) {
    if ((*repeats)[i] < 0) {
      return InvalidArgument("repeats " + ToString(*repeats));
    }
    if (IsKnown(out[i]) && !CheckedMul(out[i], (*repeats)[i], &out[i])) {
      return ResourceExhausted("repeats " + ToString(*repeats) +
                               " overflow shape " + ToString(out));
    }
  }
  ctx.SetOutput(0, ctx.in(0).dtype, std::move(out));
  return OkStatus();
}

Status Infer(const DepthToSpace& op, InferContext& ctx) {
  ctx.SetOutputDType(0, ctx.in(0).dtype);
  if (!ctx.Ranked({0})) return OkStatus();
  const Shape& x = ctx.in(0).dims;
  const int64_t b = op.blocksize;
  if (x.size() != 4 || b < 1 || b > 1024 ||
      (IsKnown(x[1]) && x[1] % (b * b) != 0)) {
    return InvalidArgument("blocksize " + std::to_string(b) +
                           " does not fit input " + ToString(x));
  }
  if (op.mode != "DCR" && op.mode != "CRD") {
    return InvalidArgument("mode is '" + op.mode + "', expected DCR or CRD");
  }
  const auto times = [&](int64_t dim) { return IsKnown(dim) ? dim * b : dim; };
  ctx.SetOutput(0, ctx.in(0).dtype,
                {x[0], IsKnown(x[1]) ? x[1] / (b * b) : kUnknownDim,
                 times(x[2]), times(x[3])});
  return OkStatus();
}

Status Infer(const SpaceToDepth& op, InferContext& ctx) {
  ctx.SetOutputDType(0, ctx.in(0).dtype);
  if (!ctx.Ranked({0})) return OkStatus();
  const Shape& x = ctx.in(0).dims;
  const int64_t b = op.blocksize;
  if (x.size() != 4 || b < 1 || b > 1024 || (IsKnown(x[2]) && x[2] % b) ||
      (IsKnown(x[3]) && x[3] % b)) {
    return InvalidArgument("blocksize " + std::to_string(b) +
                           " does not fit input " + ToString(x));
  }
  const auto over = [&](int64_t dim) { return IsKnown(dim) ? dim / b : dim; };
  ctx.SetOutput(0, ctx.in(0).dtype,
                {x[0], IsKnown(x[1]) ? x[1] * b * b : kUnknownDim, over(x[2]),
                 over(x[3])});
  return OkStatus();
}

}  // namespace stint
