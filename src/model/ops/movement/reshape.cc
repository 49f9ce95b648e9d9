#include "model/ops/movement/reshape.h"

#include <algorithm>

namespace stint {
namespace {

Result<Shape> ReshapedDims(const ValueType& in, Shape target, bool allowzero) {
  int64_t inferred = -1;
  for (size_t i = 0; i < target.size(); ++i) {
    if (target[i] == -1) {
      if (inferred >= 0) {
        return InvalidArgument("shape " + ToString(target) +
                               " has more than one -1");
      }
      inferred = static_cast<int64_t>(i);
    } else if (target[i] < -1) {
      return InvalidArgument("shape " + ToString(target) +
                             " has a dimension below -1");
    } else if (target[i] == 0 && !allowzero) {
      if (!in.ranked) {
        target[i] = kUnknownDim;
      } else if (i >= in.dims.size()) {
        return InvalidArgument("shape " + ToString(target) +
                               " copies dimension " + std::to_string(i) +
                               " of " + ToString(in.dims));
      } else {
        target[i] = in.dims[i];
      }
    }
  }
  const int64_t total =
      in.ranked ? ProductOf(in.dims.data(), in.dims.data() + in.dims.size())
                : kUnknownDim;
  if (inferred >= 0) {
    target[inferred] = 1;
    const int64_t rest =
        ProductOf(target.data(), target.data() + target.size());
    target[inferred] = kUnknownDim;
    if (total >= 0 && rest >= 0) {
      if (rest == 0 ? total != 0 : total % rest != 0) {
        return InvalidArgument("cannot reshape " + ToString(in.dims) + " to " +
                               ToString(target));
      }
      target[inferred] = rest == 0 ? 0 : total / rest;
    }
    return target;
  }
  const int64_t count = ProductOf(target.data(), target.data() + target.size());
  if (total >= 0 && count >= 0 && total != count) {
    return InvalidArgument("cannot reshape " + ToString(in.dims) + " to " +
                           ToString(target));
  }
  return target;
}

}  // namespace

Status Infer(const Reshape& op, InferContext& ctx) {
  ctx.SetOutputDType(0, ctx.in(0).dtype);
  const auto target = ctx.Ints(1);
  if (target) {
    STINT_ASSIGN_OR_RETURN(Shape dims,
                           ReshapedDims(ctx.in(0), *target, op.allowzero != 0));
    ctx.SetOutput(0, ctx.in(0).dtype, std::move(dims));
  } else if (ctx.Ranked({1}) && ctx.in(1).rank() == 1 &&
             IsKnown(ctx.in(1).dims[0]) && ctx.in(1).dims[0] < 64) {
    ctx.SetOutput(0, ctx.in(0).dtype, Shape(ctx.in(1).dims[0], kUnknownDim));
  }
  return OkStatus();
}

Status Infer(const Flatten& op, InferContext& ctx) {
  ctx.SetOutput(0, ctx.in(0).dtype, {kUnknownDim, kUnknownDim});
  if (!ctx.Ranked({0})) return OkStatus();
  const Shape& dims = ctx.in(0).dims;
  const int64_t rank = ctx.in(0).rank();
  if (op.axis < -rank || op.axis > rank) {
    return InvalidArgument("axis " + std::to_string(op.axis) +
                           " is out of range for rank " + std::to_string(rank));
  }
  const int64_t axis = op.axis < 0 ? op.axis + rank : op.axis;
  const int64_t* middle = dims.data() + axis;
  // A single symbolic dimension on one side keeps its name.
  const auto fold = [](const int64_t* begin, const int64_t* end) {
    return end - begin == 1 ? *begin : ProductOf(begin, end);
  };
  ctx.SetOutput(
      0, ctx.in(0).dtype,
      {fold(dims.data(), middle), fold(middle, dims.data() + dims.size())});
  return OkStatus();
}

Status Infer(const Squeeze&, InferContext& ctx) {
  ctx.SetOutputDType(0, ctx.in(0).dtype);
  if (!ctx.Ranked({0})) return OkStatus();
  const Shape& dims = ctx.in(0).dims;
  Shape out;
  if (!ctx.has(1)) {
    if (!std::all_of(dims.begin(), dims.end(), IsKnown)) return OkStatus();
    std::copy_if(dims.begin(), dims.end(), std::back_inserter(out),
                 [](int64_t dim) { return dim != 1; });
  } else {
    const auto axes = ctx.Ints(1);
    if (!axes) return OkStatus();
    STINT_ASSIGN_OR_RETURN(const auto dropped,
                           NormalizeAxes(*axes, ctx.in(0).rank()));
    for (int64_t i = 0; i < ctx.in(0).rank(); ++i) {
      if (std::find(dropped.begin(), dropped.end(), i) == dropped.end()) {
        out.push_back(dims[i]);
      } else if (IsKnown(dims[i]) && dims[i] != 1) {
        return InvalidArgument("cannot drop dimension " + std::to_string(i) +
                               " of " + ToString(dims) + ": it is not 1");
      }
    }
  }
  ctx.SetOutput(0, ctx.in(0).dtype, std::move(out));
  return OkStatus();
}

Status Infer(const Unsqueeze&, InferContext& ctx) {
  ctx.SetOutputDType(0, ctx.in(0).dtype);
  const auto axes = ctx.Ints(1);
  if (!ctx.Ranked({0}) || !axes) return OkStatus();
  const int64_t rank = ctx.in(0).rank() + static_cast<int64_t>(axes->size());
  STINT_ASSIGN_OR_RETURN(const auto added, NormalizeAxes(*axes, rank));
  Shape out;
  auto next = ctx.in(0).dims.begin();
  for (int64_t i = 0; i < rank; ++i) {
    const bool is_new = std::find(added.begin(), added.end(), i) != added.end();
    out.push_back(is_new ? 1 : *next++);
  }
  ctx.SetOutput(0, ctx.in(0).dtype, std::move(out));
  return OkStatus();
}

Status Infer(const Expand&, InferContext& ctx) {
  ctx.SetOutputDType(0, ctx.in(0).dtype);
  const auto target = ctx.Ints(1);
  if (!ctx.Ranked({0}) || !target) return OkStatus();
  STINT_RETURN_IF_ERROR(ElementCount(*target).status());
  STINT_ASSIGN_OR_RETURN(Shape out, BroadcastShapes(ctx.in(0).dims, *target));
  ctx.SetOutput(0, ctx.in(0).dtype, std::move(out));
  return OkStatus();
}

std::vector<int64_t> ShapeSlice(const Shape_& op, const Shape& dims) {
  const int64_t rank = static_cast<int64_t>(dims.size());
  const auto clamp = [&](int64_t i) {
    return std::clamp<int64_t>(i < 0 ? i + rank : i, 0, rank);
  };
  const int64_t begin = clamp(op.start);
  const int64_t end = std::max(begin, clamp(op.end));
  return std::vector<int64_t>(dims.begin() + begin, dims.begin() + end);
}

Status Infer(const Shape_& op, InferContext& ctx) {
  if (!ctx.Ranked({0})) {
    ctx.SetOutput(0, DType::kInt64, {kUnknownDim});
    return OkStatus();
  }
  const auto slice = ShapeSlice(op, ctx.in(0).dims);
  ctx.SetOutput(0, DType::kInt64, {static_cast<int64_t>(slice.size())});
  return OkStatus();
}

Status Infer(const Size_&, InferContext& ctx) {
  ctx.SetOutput(0, DType::kInt64, {});
  return OkStatus();
}

}  // namespace stint
