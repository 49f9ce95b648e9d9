#include "engine/reference/select/select.h"

#include <algorithm>
#include <numeric>

#include "core/tensor/element_access.h"
#include "engine/reference/axis_lines.h"

namespace stint {
namespace {

// Strict weak order in which NaN is the greatest number.
template <typename T>
bool IsLess(const T& a, const T& b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (a != a) return false;
    if (b != b) return true;
  }
  return a < b;
}

// The indices of the k best elements of a line, best first.
template <typename T>
void BestOf(const T* line, int64_t stride, int64_t k, bool largest,
            std::vector<int64_t>* order) {
  std::iota(order->begin(), order->end(), 0);
  const auto better = [&](int64_t a, int64_t b) {
    const T& va = line[a * stride];
    const T& vb = line[b * stride];
    if (largest ? IsLess(vb, va) : IsLess(va, vb)) return true;
    if (largest ? IsLess(va, vb) : IsLess(vb, va)) return false;
    return a < b;
  };
  std::partial_sort(order->begin(), order->begin() + k, order->end(), better);
}

}  // namespace

Status Eval(const TopK& op, EvalContext& ctx) {
  const Tensor& x = ctx.in(0);
  STINT_ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(op.axis, x.rank()));
  const AxisLines lines(x.shape(), axis);
  const int64_t k = ScalarAs<int64_t>(ctx.in(1));
  if (k < 0 || k > lines.length) {
    return InvalidArgument("k is " + std::to_string(k) + " of " +
                           std::to_string(lines.length));
  }
  Shape shape = x.shape();
  shape[axis] = k;
  STINT_RETURN_IF_ERROR(ctx.Allocate(0, x.dtype(), shape));
  STINT_RETURN_IF_ERROR(ctx.Allocate(1, DType::kInt64, shape));
  VisitCompute(x.dtype(), [&]<typename T>() {
    const std::vector<T> in = ElementsAs<T>(x);
    std::vector<int64_t> order(static_cast<size_t>(lines.length));
    for (int64_t l = 0; l < lines.outer * lines.inner; ++l) {
      const int64_t outer = l / lines.inner;
      const int64_t inner = l % lines.inner;
      const T* line = in.data() + outer * lines.length * lines.inner + inner;
      BestOf(line, lines.inner, k, op.largest != 0, &order);
      for (int64_t i = 0; i < k; ++i) {
        const int64_t at = (outer * k + i) * lines.inner + inner;
        StoreElements<T>(line + order[i] * lines.inner, at, 1, &ctx.out(0));
        if (ctx.num_outputs() > 1) ctx.out(1).data<int64_t>()[at] = order[i];
      }
    }
  });
  return OkStatus();
}

namespace {

// Copies the chosen slices along the axis to output 0.
Status PickSlices(const Tensor& x, int64_t axis,
                  const std::vector<int64_t>& picks, EvalContext& ctx) {
  Shape shape = x.shape();
  shape[axis] = static_cast<int64_t>(picks.size());
  STINT_RETURN_IF_ERROR(ctx.Allocate(0, x.dtype(), shape));
  const AxisLines lines(x.shape(), axis);
  VisitStorage(x.dtype(), [&]<typename T>() {
    T* out = ctx.out(0).data<T>();
    for (int64_t o = 0; o < lines.outer; ++o) {
      for (int64_t pick : picks) {
        out = std::copy_n(x.data<T>() + (o * lines.length + pick) * lines.inner,
                          lines.inner, out);
      }
    }
  });
  return OkStatus();
}

// Groups of equal slices: for each slice its group, for each group its first
// slice. Groups are in order of value.
template <typename T>
void GroupSlices(const T* in, const AxisLines& lines,
                 std::vector<int64_t>* group, std::vector<int64_t>* first) {
  const auto compare = [&](int64_t a, int64_t b) {
    for (int64_t o = 0; o < lines.outer; ++o) {
      const T* va = in + (o * lines.length + a) * lines.inner;
      const T* vb = in + (o * lines.length + b) * lines.inner;
      for (int64_t i = 0; i < lines.inner; ++i) {
        if (IsLess(va[i], vb[i])) return -1;
        if (IsLess(vb[i], va[i])) return 1;
      }
    }
    return 0;
  };
  std::vector<int64_t> order(static_cast<size_t>(lines.length));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return compare(a, b) < 0; });
  group->resize(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || compare(order[i - 1], order[i]) != 0) {
      first->push_back(order[i]);
    }
    (*group)[order[i]] = static_cast<int64_t>(first->size()) - 1;
  }
}

// Renumbers groups by where they first occur.
void SortByOccurrence(std::vector<int64_t>* group,
                      std::vector<int64_t>* first) {
  std::vector<int64_t> order(first->size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](int64_t a, int64_t b) { return (*first)[a] < (*first)[b]; });
  std::vector<int64_t> rank(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    rank[order[i]] = static_cast<int64_t>(i);
  }
  for (int64_t& g : *group) g = rank[g];
  std::sort(first->begin(), first->end());
}

Status StoreInts(int i, const std::vector<int64_t>& values, EvalContext& ctx) {
  if (i >= ctx.num_outputs()) return OkStatus();
  STINT_RETURN_IF_ERROR(
      ctx.Allocate(i, DType::kInt64, {static_cast<int64_t>(values.size())}));
  std::copy(values.begin(), values.end(), ctx.out(i).data<int64_t>());
  return OkStatus();
}

}  // namespace

Status Eval(const Unique& op, EvalContext& ctx) {
  const bool flat = op.axis == kFlattened;
  const Tensor x = flat ? ctx.in(0).Reshaped({ctx.in(0).size()}) : ctx.in(0);
  STINT_ASSIGN_OR_RETURN(const int64_t axis,
                         NormalizeAxis(flat ? 0 : op.axis, x.rank()));
  const AxisLines lines(x.shape(), axis);
  std::vector<int64_t> group, first;
  if (x.dtype() == DType::kString) {
    GroupSlices(x.data<std::string>(), lines, &group, &first);
  } else {
    VisitCompute(x.dtype(), [&]<typename T>() {
      const std::vector<T> in = ElementsAs<T>(x);
      GroupSlices(in.data(), lines, &group, &first);
    });
  }
  if (!op.sorted) SortByOccurrence(&group, &first);
  std::vector<int64_t> counts(first.size(), 0);
  for (int64_t g : group) ++counts[g];
  STINT_RETURN_IF_ERROR(PickSlices(x, axis, first, ctx));
  STINT_RETURN_IF_ERROR(StoreInts(1, first, ctx));
  STINT_RETURN_IF_ERROR(StoreInts(2, group, ctx));
  return StoreInts(3, counts, ctx);
}

Status Eval(const NonZero&, EvalContext& ctx) {
  const Tensor& x = ctx.in(0);
  std::vector<int64_t> found;
  if (x.dtype() == DType::kString) {
    for (int64_t i = 0; i < x.size(); ++i) {
      if (!x.data<std::string>()[i].empty()) found.push_back(i);
    }
  } else {
    const std::vector<double> in = ElementsAs<double>(x);
    for (int64_t i = 0; i < x.size(); ++i) {
      if (in[i] != 0) found.push_back(i);
    }
  }
  const int64_t count = static_cast<int64_t>(found.size());
  STINT_RETURN_IF_ERROR(ctx.Allocate(0, DType::kInt64, {x.rank(), count}));
  const std::vector<int64_t> strides = StridesOf(x.shape());
  for (int64_t d = 0; d < x.rank(); ++d) {
    for (int64_t i = 0; i < count; ++i) {
      ctx.out(0).data<int64_t>()[d * count + i] =
          found[i] / strides[d] % x.dim(d);
    }
  }
  return OkStatus();
}

Status Eval(const Compress& op, EvalContext& ctx) {
  const bool flat = op.axis == kFlattened;
  const Tensor x = flat ? ctx.in(0).Reshaped({ctx.in(0).size()}) : ctx.in(0);
  STINT_ASSIGN_OR_RETURN(const int64_t axis,
                         NormalizeAxis(flat ? 0 : op.axis, x.rank()));
  const Tensor& condition = ctx.in(1);
  std::vector<int64_t> picks;
  for (int64_t i = 0; i < condition.size(); ++i) {
    if (!condition.data<bool>()[i]) continue;
    if (i >= x.dim(axis)) {
      return InvalidArgument("the condition chooses slice " +
                             std::to_string(i) + " of " +
                             std::to_string(x.dim(axis)));
    }
    picks.push_back(i);
  }
  return PickSlices(x, axis, picks, ctx);
}

}  // namespace stint
