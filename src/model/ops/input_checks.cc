#include "model/ops/input_checks.h"

#include <algorithm>

namespace stint {
namespace {

bool Fits(Accepts accepts, DType dtype) {
  switch (accepts) {
    case Accepts::kAny:
      return true;
    case Accepts::kNumber:
      return IsFloat(dtype) || IsInteger(dtype) || dtype == DType::kBool;
    case Accepts::kFloat:
      return IsFloat(dtype);
    case Accepts::kInteger:
      return IsInteger(dtype);
    case Accepts::kBool:
      return dtype == DType::kBool;
    case Accepts::kString:
      return dtype == DType::kString;
  }
  return false;
}

Status ExpectInput(const InferContext& ctx, int i, Accepts accepts) {
  const ValueType& type = ctx.in(i);
  if (!type.is_tensor()) {
    return InvalidArgument("input " + std::to_string(i) + " is not a tensor");
  }
  if (!Fits(accepts, type.dtype)) {
    return InvalidArgument("input " + std::to_string(i) + " has elements of " +
                           std::string(DTypeName(type.dtype)));
  }
  return OkStatus();
}

}  // namespace

Status ExpectInputs(const InferContext& ctx,
                    std::initializer_list<Accepts> required,
                    std::initializer_list<Accepts> optional) {
  if (ctx.num_outputs() < 1) return InvalidArgument("no output");
  int i = 0;
  for (Accepts accepts : required) {
    if (!ctx.has(i)) {
      return InvalidArgument("input " + std::to_string(i) + " is missing");
    }
    STINT_RETURN_IF_ERROR(ExpectInput(ctx, i++, accepts));
  }
  for (Accepts accepts : optional) {
    if (ctx.has(i)) STINT_RETURN_IF_ERROR(ExpectInput(ctx, i, accepts));
    ++i;
  }
  return OkStatus();
}

Status ExpectRank(const InferContext& ctx, int i, int64_t rank) {
  if (!ctx.Ranked({i}) || ctx.in(i).rank() == rank) return OkStatus();
  return InvalidArgument("input " + std::to_string(i) + " is " +
                         ToString(ctx.in(i).dims) + ", expected rank " +
                         std::to_string(rank));
}

Status ExpectOneElement(const InferContext& ctx, int i) {
  if (!ctx.Ranked({i})) return OkStatus();
  const Shape& dims = ctx.in(i).dims;
  if (std::all_of(dims.begin(), dims.end(),
                  [](int64_t dim) { return !IsKnown(dim) || dim == 1; })) {
    return OkStatus();
  }
  return InvalidArgument("input " + std::to_string(i) + " is " +
                         ToString(dims) + ", expected one element");
}

namespace {

template <typename Allowed>
Status RequireTypes(const InferContext& ctx,
                    std::initializer_list<int> indices, const char* expected,
                    Allowed allowed) {
  for (int i : indices) {
    if (!ctx.has(i) || allowed(ctx.in(i).dtype)) continue;
    return InvalidArgument("input " + std::to_string(i) + " is " +
                           std::string(DTypeName(ctx.in(i).dtype)) +
                           ", expected " + expected);
  }
  return OkStatus();
}

}  // namespace

Status RequireInputs(const InferContext& ctx,
                     std::initializer_list<int> indices) {
  for (int i : indices) {
    if (!ctx.has(i)) {
      return InvalidArgument("input " + std::to_string(i) + " is missing");
    }
  }
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    if (ctx.has(i) && !ctx.in(i).is_tensor()) {
      return InvalidArgument("input " + std::to_string(i) +
                             " is not a tensor");
    }
  }
  return OkStatus();
}

Status RequireNumbers(const InferContext& ctx,
                      std::initializer_list<int> indices) {
  return RequireTypes(ctx, indices, "numbers", [](DType dtype) {
    return IsFloat(dtype) || IsInteger(dtype) || dtype == DType::kBool;
  });
}

Status RequireFloats(const InferContext& ctx,
                     std::initializer_list<int> indices) {
  return RequireTypes(ctx, indices, "a floating type", IsFloat);
}

Status RequireIntegers(const InferContext& ctx,
                       std::initializer_list<int> indices) {
  return RequireTypes(ctx, indices, "an integer type", IsInteger);
}

Status RequireRank(const InferContext& ctx, int i, int64_t rank) {
  if (!ctx.Ranked({i}) || ctx.in(i).rank() == rank) return OkStatus();
  return InvalidArgument("input " + std::to_string(i) + " is " +
                         ToString(ctx.in(i).dims) + ", expected rank " +
                         std::to_string(rank));
}

Status RequireDims(const InferContext& ctx, int i, const Shape& expected) {
  if (!ctx.Ranked({i})) return OkStatus();
  const Shape& dims = ctx.in(i).dims;
  bool fits = dims.size() == expected.size();
  for (size_t d = 0; fits && d < dims.size(); ++d) {
    fits = !DimsDiffer(dims[d], expected[d]);
  }
  if (fits) return OkStatus();
  return InvalidArgument("input " + std::to_string(i) + " is " +
                         ToString(dims) + ", expected " + ToString(expected));
}

}  // namespace stint
