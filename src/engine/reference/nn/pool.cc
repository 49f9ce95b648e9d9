#include <cmath>
#include <limits>

#include "core/tensor/element_access.h"
#include "engine/reference/nn/nn.h"
#include "engine/reference/window_walk.h"

namespace stint {
namespace {

// The walk of a pooling op from its input to its output.
struct PoolGeometry {
  Window window;
  int64_t images;  // batch times channels
  Shape in;
  Shape out;
};

template <typename Pool>
Result<PoolGeometry> GeometryOf(const Pool& op, EvalContext& ctx) {
  PoolGeometry g;
  const Shape& x = ctx.in(0).shape();
  STINT_ASSIGN_OR_RETURN(g.window, PoolWindow(op, x));
  g.images = x[0] * x[1];
  g.in.assign(x.begin() + 2, x.end());
  g.out.assign(ctx.out(0).shape().begin() + 2, ctx.out(0).shape().end());
  return g;
}

// Index of an element when each image is stored column by column.
int64_t ColumnMajor(int64_t index, const Shape& dims) {
  int64_t result = 0;
  int64_t stride = 1;
  std::vector<int64_t> at(dims.size());
  for (size_t d = dims.size(); d-- > 0;) {
    at[d] = index % dims[d];
    index /= dims[d];
  }
  for (size_t d = 0; d < dims.size(); ++d) {
    result += at[d] * stride;
    stride *= dims[d];
  }
  return result;
}

template <typename T>
void MaxPoolImages(const PoolGeometry& g, bool column_major, EvalContext& ctx) {
  const WindowWalk walk(g.window, g.in, g.out);
  const std::vector<T> x = ElementsAs<T>(ctx.in(0));
  std::vector<int64_t> best(static_cast<size_t>(walk.out_size()));
  std::vector<T> y(best.size());
  for (int64_t image = 0; image < g.images; ++image) {
    const T* in = x.data() + image * walk.in_size();
    std::fill(best.begin(), best.end(), -1);
    walk.ForEach([&](int64_t o, int64_t i, int64_t) {
      if (best[o] < 0 || in[i] > in[best[o]]) best[o] = i;
    });
    for (size_t o = 0; o < best.size(); ++o) {
      y[o] = best[o] < 0 ? std::numeric_limits<T>::lowest() : in[best[o]];
    }
    StoreElements<T>(y.data(), image * walk.out_size(), walk.out_size(),
                     &ctx.out(0));
    if (!ctx.wants(1)) continue;
    int64_t* indices = ctx.out(1).data<int64_t>() + image * walk.out_size();
    for (size_t o = 0; o < best.size(); ++o) {
      const int64_t inside = std::max<int64_t>(best[o], 0);
      indices[o] = image * walk.in_size() +
                   (column_major ? ColumnMajor(inside, g.in) : inside);
    }
  }
}

}  // namespace

Status Eval(const MaxPool& op, EvalContext& ctx) {
  STINT_ASSIGN_OR_RETURN(const PoolGeometry g, GeometryOf(op, ctx));
  VisitCompute(ctx.in(0).dtype(), [&]<typename T>() {
    MaxPoolImages<T>(g, op.storage_order != 0, ctx);
  });
  return OkStatus();
}

namespace {

// Taps per output that divide the sum: those inside the image, or inside the
// padded image when padding counts.
std::vector<int64_t> Divisors(const PoolGeometry& g, bool include_pad) {
  const WindowWalk walk(g.window, g.in, g.out);
  std::vector<int64_t> counts(static_cast<size_t>(walk.out_size()), 0);
  const size_t rank = g.in.size();
  walk.ForEachTap([&](int64_t o, int64_t, const std::vector<int64_t>& at) {
    bool inside = true;
    for (size_t d = 0; d < rank; ++d) {
      const int64_t low = include_pad ? -g.window.pads[d] : 0;
      const int64_t high =
          g.in[d] + (include_pad ? g.window.pads[rank + d] : 0);
      inside = inside && at[d] >= low && at[d] < high;
    }
    counts[o] += inside;
  });
  return counts;
}

}  // namespace

Status Eval(const AveragePool& op, EvalContext& ctx) {
  STINT_ASSIGN_OR_RETURN(const PoolGeometry g, GeometryOf(op, ctx));
  const WindowWalk walk(g.window, g.in, g.out);
  const std::vector<int64_t> counts = Divisors(g, op.count_include_pad != 0);
  VisitFloatCompute(ctx.in(0).dtype(), [&]<typename T>() {
    const std::vector<T> x = ElementsAs<T>(ctx.in(0));
    std::vector<T> y(counts.size());
    for (int64_t image = 0; image < g.images; ++image) {
      std::fill(y.begin(), y.end(), T(0));
      const T* in = x.data() + image * walk.in_size();
      walk.ForEach([&](int64_t o, int64_t i, int64_t) { y[o] += in[i]; });
      for (size_t o = 0; o < y.size(); ++o) {
        y[o] /= static_cast<T>(std::max<int64_t>(counts[o], 1));
      }
      StoreElements<T>(y.data(), image * walk.out_size(), walk.out_size(),
                       &ctx.out(0));
    }
  });
  return OkStatus();
}

Status Eval(const LpPool& op, EvalContext& ctx) {
  STINT_ASSIGN_OR_RETURN(const PoolGeometry g, GeometryOf(op, ctx));
  const WindowWalk walk(g.window, g.in, g.out);
  VisitFloatCompute(ctx.in(0).dtype(), [&]<typename T>() {
    const T p = static_cast<T>(op.p);
    const std::vector<T> x = ElementsAs<T>(ctx.in(0));
    std::vector<T> y(static_cast<size_t>(walk.out_size()));
    for (int64_t image = 0; image < g.images; ++image) {
      std::fill(y.begin(), y.end(), T(0));
      const T* in = x.data() + image * walk.in_size();
      walk.ForEach([&](int64_t o, int64_t i, int64_t) {
        y[o] += std::pow(std::fabs(in[i]), p);
      });
      for (T& value : y) value = std::pow(value, T(1) / p);
      StoreElements<T>(y.data(), image * walk.out_size(), walk.out_size(),
                       &ctx.out(0));
    }
  });
  return OkStatus();
}

namespace {

// Combines each image into one number.
template <typename F>
Status EvalGlobal(EvalContext& ctx, F combine) {
  const Tensor& x = ctx.in(0);
  const int64_t images = x.dim(0) * x.dim(1);
  if (images == 0) return OkStatus();
  const int64_t size = x.size() / images;
  VisitFloatCompute(x.dtype(), [&]<typename T>() {
    const std::vector<T> in = ElementsAs<T>(x);
    for (int64_t i = 0; i < images; ++i) {
      const T value = combine(in.data() + i * size, size);
      StoreElements<T>(&value, i, 1, &ctx.out(0));
    }
  });
  return OkStatus();
}

}  // namespace

Status Eval(const GlobalAveragePool&, EvalContext& ctx) {
  return EvalGlobal(ctx, []<typename T>(const T* x, int64_t n) {
    T sum = 0;
    for (int64_t i = 0; i < n; ++i) sum += x[i];
    return sum / static_cast<T>(n);
  });
}

Status Eval(const GlobalMaxPool&, EvalContext& ctx) {
  return EvalGlobal(ctx, []<typename T>(const T* x, int64_t n) {
    T max = std::numeric_limits<T>::lowest();
    for (int64_t i = 0; i < n; ++i) max = std::max(max, x[i]);
    return max;
  });
}

Status Eval(const GlobalLpPool& op, EvalContext& ctx) {
  return EvalGlobal(ctx, [&op]<typename T>(const T* x, int64_t n) {
    T sum = 0;
    for (int64_t i = 0; i < n; ++i) {
      sum += std::pow(std::fabs(x[i]), static_cast<T>(op.p));
    }
    return std::pow(sum, T(1) / static_cast<T>(op.p));
  });
}

}  // namespace stint
