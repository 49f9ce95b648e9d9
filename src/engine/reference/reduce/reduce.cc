#include "engine/reference/reduce/reduce.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/tensor/broadcast.h"
#include "core/tensor/element_access.h"
#include "engine/reference/axis_lines.h"

namespace stint {
namespace {

// The result of reducing nothing.
template <typename T>
T EmptyResult(ReduceKind kind) {
  constexpr bool kFloat = std::is_floating_point_v<T>;
  switch (kind) {
    case ReduceKind::kMax:
      return kFloat ? -std::numeric_limits<T>::infinity()
                    : std::numeric_limits<T>::lowest();
    case ReduceKind::kMin:
      return kFloat ? std::numeric_limits<T>::infinity()
                    : std::numeric_limits<T>::max();
    case ReduceKind::kProd:
      return T(1);
    case ReduceKind::kLogSum:
    case ReduceKind::kLogSumExp:
      return kFloat ? -std::numeric_limits<T>::infinity() : T(0);
    case ReduceKind::kMean:
      return kFloat ? std::numeric_limits<T>::quiet_NaN() : T(0);
    case ReduceKind::kL1:
    case ReduceKind::kL2:
    case ReduceKind::kSum:
    case ReduceKind::kSumSquare:
      return T(0);
  }
  return T(0);
}

// Functions of a double for T that may be an integer.
template <typename T>
T Apply(double (*f)(double), T x) {
  return static_cast<T>(f(static_cast<double>(x)));
}

template <typename T>
T LogSumExpOf(const std::vector<T>& x) {
  double max = static_cast<double>(x[0]);
  for (T v : x) max = std::max(max, static_cast<double>(v));
  if (std::isinf(max)) return static_cast<T>(max);
  double sum = 0;
  for (T v : x) sum += std::exp(static_cast<double>(v) - max);
  return static_cast<T>(max + std::log(sum));
}

template <typename T>
T ReduceElements(ReduceKind kind, const std::vector<T>& x) {
  if (x.empty()) return EmptyResult<T>(kind);
  if (kind == ReduceKind::kLogSumExp) return LogSumExpOf(x);
  T result = kind == ReduceKind::kProd                              ? T(1)
             : kind == ReduceKind::kMax || kind == ReduceKind::kMin ? x[0]
                                                                    : T(0);
  for (T v : x) {
    switch (kind) {
      case ReduceKind::kMax:
        if (v > result || v != v) result = v;
        break;
      case ReduceKind::kMin:
        if (v < result || v != v) result = v;
        break;
      case ReduceKind::kProd:
        result *= v;
        break;
      case ReduceKind::kL1:
        result += v < T(0) ? T(0) - v : v;
        break;
      case ReduceKind::kL2:
      case ReduceKind::kSumSquare:
        result += v * v;
        break;
      case ReduceKind::kMean:
      case ReduceKind::kSum:
      case ReduceKind::kLogSum:
      case ReduceKind::kLogSumExp:
        result += v;
        break;
    }
  }
  if (kind == ReduceKind::kMean) result /= static_cast<T>(x.size());
  if (kind == ReduceKind::kL2) result = Apply<T>(std::sqrt, result);
  if (kind == ReduceKind::kLogSum) result = Apply<T>(std::log, result);
  return result;
}

}  // namespace

Status Eval(const Reduce& op, EvalContext& ctx) {
  const Tensor& x = ctx.in(0);
  STINT_ASSIGN_OR_RETURN(const auto axes,
                         ReduceAxes(op,
                                    ctx.has(1) ? ElementsAs<int64_t>(ctx.in(1))
                                               : std::vector<int64_t>(),
                                    x.rank()));
  // Reading order: kept dimensions outside, reduced ones inside.
  const std::vector<int64_t> own = StridesOf(x.shape());
  std::vector<int64_t> kept_dims, kept_strides, dims, strides;
  for (int64_t d = 0; d < x.rank(); ++d) {
    const bool reduced = std::find(axes.begin(), axes.end(), d) != axes.end();
    (reduced ? dims : kept_dims).push_back(x.dim(d));
    (reduced ? strides : kept_strides).push_back(own[d]);
  }
  const auto offsets = [](const Shape& sizes, const std::vector<int64_t>& st) {
    std::vector<int64_t> result;
    // The sizes before a zero may be huge.
    if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) return result;
    result.push_back(0);
    for (size_t d = 0; d < sizes.size(); ++d) {
      std::vector<int64_t> next;
      for (int64_t base : result) {
        for (int64_t i = 0; i < sizes[d]; ++i) next.push_back(base + i * st[d]);
      }
      result = std::move(next);
    }
    return result;
  };
  const std::vector<int64_t> outer = offsets(kept_dims, kept_strides);
  const std::vector<int64_t> inner = offsets(dims, strides);
  VisitCompute(x.dtype(), [&]<typename T>() {
    const std::vector<T> in = ElementsAs<T>(x);
    std::vector<T> group(inner.size());
    for (size_t o = 0; o < outer.size(); ++o) {
      for (size_t i = 0; i < inner.size(); ++i)
        group[i] = in[outer[o] + inner[i]];
      const T value = ReduceElements(op.kind, group);
      StoreElements<T>(&value, static_cast<int64_t>(o), 1, &ctx.out(0));
    }
  });
  return OkStatus();
}

Status Eval(const ArgReduce& op, EvalContext& ctx) {
  const Tensor& x = ctx.in(0);
  STINT_ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(op.axis, x.rank()));
  const AxisLines lines(x.shape(), axis);
  int64_t* out = ctx.out(0).data<int64_t>();
  VisitCompute(x.dtype(), [&]<typename T>() {
    const std::vector<T> in = ElementsAs<T>(x);
    lines.ForEach([&](int64_t first) {
      int64_t best = 0;
      for (int64_t i = 1; i < lines.length; ++i) {
        const T v = in[first + i * lines.inner];
        const T b = in[first + best * lines.inner];
        const bool better = op.kind == ArgKind::kMax ? v > b : v < b;
        if (better || (op.select_last_index && v == b)) best = i;
      }
      *out++ = best;
    });
  });
  return OkStatus();
}

Status Eval(const ConstantOfShape& op, EvalContext& ctx) {
  VisitStorage(op.value.dtype(), [&]<typename T>() {
    std::fill_n(ctx.out(0).data<T>(), ctx.out(0).size(), op.value.data<T>()[0]);
  });
  return OkStatus();
}

Status Eval(const Range&, EvalContext& ctx) {
  const DType dtype = ctx.in(0).dtype();
  return VisitCompute(dtype, [&]<typename T>() -> Status {
    const T start = ScalarAs<T>(ctx.in(0));
    const T limit = ScalarAs<T>(ctx.in(1));
    const T delta = ScalarAs<T>(ctx.in(2));
    if (delta == T(0)) return InvalidArgument("delta is 0");
    const double span =
        std::ceil((static_cast<double>(limit) - static_cast<double>(start)) /
                  static_cast<double>(delta));
    const int64_t count =
        span > 0 && span < 1e15 ? static_cast<int64_t>(span) : 0;
    STINT_RETURN_IF_ERROR(ctx.Allocate(0, dtype, {count}));
    T value = start;
    for (int64_t i = 0; i < count; ++i, value += delta) {
      StoreElements<T>(&value, i, 1, &ctx.out(0));
    }
    return OkStatus();
  });
}

Status Eval(const EyeLike& op, EvalContext& ctx) {
  Tensor& out = ctx.out(0);
  const int64_t columns = out.dim(1);
  for (int64_t i = 0; i < out.size(); ++i) {
    const double value = i % columns - i / columns == op.k ? 1.0 : 0.0;
    StoreElements<double>(&value, i, 1, &out);
  }
  return OkStatus();
}

}  // namespace stint
