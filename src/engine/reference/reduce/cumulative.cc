#include <algorithm>
#include <cmath>

#include "core/tensor/element_access.h"
#include "engine/reference/axis_lines.h"
#include "engine/reference/select/select.h"

namespace stint {

Status Eval(const Cumulative& op, EvalContext& ctx) {
  const Tensor& x = ctx.in(0);
  STINT_ASSIGN_OR_RETURN(const int64_t axis,
                         NormalizeAxis(ScalarAs<int64_t>(ctx.in(1)), x.rank()));
  const AxisLines lines(x.shape(), axis);
  const bool product = op.kind == CumulativeKind::kProd;
  VisitCompute(x.dtype(), [&]<typename Wide>() {
    // Unsigned arithmetic: signed sums wrap.
    using T = std::conditional_t<std::is_same_v<Wide, int64_t>, uint64_t, Wide>;
    std::vector<T> values = ElementsAs<T>(x);
    lines.ForEach([&](int64_t first) {
      T total = product ? T(1) : T(0);
      for (int64_t i = 0; i < lines.length; ++i) {
        const int64_t step = op.reverse ? lines.length - 1 - i : i;
        T& value = values[first + step * lines.inner];
        const T before = total;
        total = product ? total * value : total + value;
        value = op.exclusive ? before : total;
      }
    });
    StoreElements<T>(values.data(), 0, x.size(), &ctx.out(0));
  });
  return OkStatus();
}

namespace {

// By elimination with partial pivoting, in place.
template <typename T>
T Determinant(T* a, int64_t n) {
  T det = 1;
  for (int64_t k = 0; k < n; ++k) {
    int64_t pivot = k;
    for (int64_t r = k + 1; r < n; ++r) {
      if (std::fabs(a[r * n + k]) > std::fabs(a[pivot * n + k])) pivot = r;
    }
    if (a[pivot * n + k] == 0) return 0;
    if (pivot != k) {
      std::swap_ranges(a + pivot * n, a + pivot * n + n, a + k * n);
      det = -det;
    }
    det *= a[k * n + k];
    for (int64_t r = k + 1; r < n; ++r) {
      const T factor = a[r * n + k] / a[k * n + k];
      for (int64_t c = k; c < n; ++c) a[r * n + c] -= factor * a[k * n + c];
    }
  }
  return det;
}

}  // namespace

Status Eval(const Det&, EvalContext& ctx) {
  const Tensor& x = ctx.in(0);
  const int64_t n = x.shape().back();
  std::vector<double> values = ElementsAs<double>(x);
  for (int64_t i = 0; i < ctx.out(0).size(); ++i) {
    const double det = Determinant(values.data() + i * n * n, n);
    StoreElements<double>(&det, i, 1, &ctx.out(0));
  }
  return OkStatus();
}

}  // namespace stint
