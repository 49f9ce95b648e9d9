#include "engine/reference/movement/scatter.h"

#include <algorithm>
#include <cmath>

#include "core/tensor/element_access.h"
#include "engine/reference/axis_lines.h"
#include "engine/reference/window_walk.h"

namespace stint {
namespace {

void CopyAll(const Tensor& from, Tensor* to) {
  VisitStorage(from.dtype(), [&]<typename T>() {
    std::copy_n(from.data<T>(), from.size(), to->data<T>());
  });
}

Result<int64_t> NormalizeIndex(int64_t index, int64_t size) {
  if (index < -size || index >= size) {
    return InvalidArgument("index " + std::to_string(index) +
                           " is out of range for a dimension of " +
                           std::to_string(size));
  }
  return index < 0 ? index + size : index;
}

template <typename T>
T Combine(const std::string& reduction, T old, T update) {
  // Unsigned arithmetic: signed sums wrap.
  using U = std::conditional_t<std::is_same_v<T, int64_t>, uint64_t, T>;
  const U a = static_cast<U>(old);
  const U b = static_cast<U>(update);
  if (reduction == "add") return static_cast<T>(a + b);
  if (reduction == "mul") return static_cast<T>(a * b);
  if (reduction == "min")
    return update < old || update != update ? update : old;
  return update > old || update != update ? update : old;
}

// Puts or combines `count` updates from element `from` on at `to`.
void Update(const std::string& reduction, const Tensor& updates, int64_t from,
            int64_t to, int64_t count, Tensor* out) {
  if (reduction == "none") {
    VisitStorage(out->dtype(), [&]<typename T>() {
      std::copy_n(updates.data<T>() + from, count, out->data<T>() + to);
    });
    return;
  }
  VisitCompute(out->dtype(), [&]<typename T>() {
    for (int64_t i = 0; i < count; ++i) {
      T old, update;
      LoadElements<T>(*out, to + i, 1, &old);
      LoadElements<T>(updates, from + i, 1, &update);
      old = Combine<T>(reduction, old, update);
      StoreElements<T>(&old, to + i, 1, out);
    }
  });
}

}  // namespace

Status Eval(const ScatterElements& op, EvalContext& ctx) {
  const Tensor& data = ctx.in(0);
  STINT_ASSIGN_OR_RETURN(const int64_t axis,
                         NormalizeAxis(op.axis, data.rank()));
  CopyAll(data, &ctx.out(0));
  const Shape& shape = ctx.in(1).shape();
  const std::vector<int64_t> indices = ElementsAs<int64_t>(ctx.in(1));
  const std::vector<int64_t> strides = StridesOf(data.shape());
  std::vector<int64_t> at(shape.size(), 0);
  for (size_t i = 0; i < indices.size(); ++i) {
    int64_t offset = 0;
    for (size_t d = 0; d < shape.size(); ++d) {
      int64_t index = at[d];
      if (static_cast<int64_t>(d) == axis) {
        STINT_ASSIGN_OR_RETURN(index,
                               NormalizeIndex(indices[i], data.dim(axis)));
      }
      offset += strides[d] * index;
    }
    Update(op.reduction, ctx.in(2), static_cast<int64_t>(i), offset, 1,
           &ctx.out(0));
    for (size_t d = shape.size(); d-- > 0;) {
      if (++at[d] < shape[d]) break;
      at[d] = 0;
    }
  }
  return OkStatus();
}

Status Eval(const ScatterND& op, EvalContext& ctx) {
  const Tensor& data = ctx.in(0);
  CopyAll(data, &ctx.out(0));
  const int64_t depth = ctx.in(1).shape().back();
  const std::vector<int64_t> indices = ElementsAs<int64_t>(ctx.in(1));
  const std::vector<int64_t> strides = StridesOf(data.shape());
  int64_t block = 1;
  for (int64_t d = depth; d < data.rank(); ++d) block *= data.dim(d);
  const int64_t tuples = block > 0 ? ctx.in(2).size() / block : 0;
  for (int64_t t = 0; t < tuples; ++t) {
    int64_t offset = 0;
    for (int64_t d = 0; d < depth; ++d) {
      STINT_ASSIGN_OR_RETURN(
          const int64_t index,
          NormalizeIndex(indices[t * depth + d], data.dim(d)));
      offset += index * strides[d];
    }
    Update(op.reduction, ctx.in(2), t * block, offset, block, &ctx.out(0));
  }
  return OkStatus();
}

Status Eval(const TensorScatter& op, EvalContext& ctx) {
  const Tensor& cache = ctx.in(0);
  STINT_ASSIGN_OR_RETURN(const int64_t axis,
                         NormalizeAxis(op.axis, cache.rank()));
  CopyAll(cache, &ctx.out(0));
  const AxisLines lines(cache.shape(), axis);
  const int64_t length = ctx.in(1).dim(axis);
  const std::vector<int64_t> starts =
      ctx.has(2) ? ElementsAs<int64_t>(ctx.in(2))
                 : std::vector<int64_t>(static_cast<size_t>(cache.dim(0)), 0);
  for (int64_t start : starts) {
    const int64_t last =
        op.mode == "circular" ? lines.length - 1 : lines.length - length;
    if (start < 0 || start > last) {
      return InvalidArgument("write index " + std::to_string(start) +
                             " is out of range for a cache of " +
                             std::to_string(lines.length));
    }
  }
  for (int64_t o = 0; o < lines.outer; ++o) {
    const int64_t start = starts[o / (lines.outer / cache.dim(0))];
    for (int64_t i = 0; i < length; ++i) {
      const int64_t at = (start + i) % lines.length;
      Update("none", ctx.in(1), (o * length + i) * lines.inner,
             (o * lines.length + at) * lines.inner, lines.inner, &ctx.out(0));
    }
  }
  return OkStatus();
}

Status Eval(const OneHot& op, EvalContext& ctx) {
  const Tensor& indices = ctx.in(0);
  STINT_ASSIGN_OR_RETURN(const int64_t axis,
                         NormalizeAxis(op.axis, indices.rank() + 1));
  const AxisLines lines(ctx.out(0).shape(), axis);
  const std::vector<double> wanted = ElementsAs<double>(indices);
  VisitStorage(ctx.in(2).dtype(), [&]<typename T>() {
    const T* values = ctx.in(2).data<T>();
    T* out = ctx.out(0).data<T>();
    std::fill_n(out, ctx.out(0).size(), values[0]);
    const double depth = static_cast<double>(lines.length);
    for (size_t i = 0; i < wanted.size(); ++i) {
      // An index outside the range chooses nothing.
      const double index = wanted[i] < 0 ? wanted[i] + depth : wanted[i];
      if (!(index >= 0 && index < depth) || index != std::floor(index)) {
        continue;
      }
      const int64_t outer = static_cast<int64_t>(i) / lines.inner;
      const int64_t inner = static_cast<int64_t>(i) % lines.inner;
      out[(outer * lines.length + static_cast<int64_t>(index)) * lines.inner +
          inner] = values[1];
    }
  });
  return OkStatus();
}

Status Eval(const MaxUnpool& op, EvalContext& ctx) {
  const Tensor& x = ctx.in(0);
  STINT_ASSIGN_OR_RETURN(const Shape inner, UnpooledShape(op, x.shape()));
  STINT_ASSIGN_OR_RETURN(const int64_t size, ElementCount(inner));
  const std::vector<int64_t> indices = ElementsAs<int64_t>(ctx.in(1));
  const std::vector<int64_t> strides = StridesOf(ctx.out(0).shape());
  return VisitStorage(x.dtype(), [&]<typename T>() -> Status {
    T* out = ctx.out(0).data<T>();
    std::fill_n(out, ctx.out(0).size(), T{});
    for (size_t i = 0; i < indices.size(); ++i) {
      // Indices count elements of the shape that the window gives, which may
      // be smaller than the output.
      STINT_ASSIGN_OR_RETURN(int64_t rest, NormalizeIndex(indices[i], size));
      int64_t offset = 0;
      for (size_t d = inner.size(); d-- > 0;) {
        offset += rest % inner[d] * strides[d];
        rest /= inner[d];
      }
      out[offset] = x.data<T>()[i];
    }
    return OkStatus();
  });
}

Status Eval(const Col2Im& op, EvalContext& ctx) {
  const Tensor& x = ctx.in(0);
  const Shape& out = ctx.out(0).shape();
  const Shape image(out.begin() + 2, out.end());
  STINT_ASSIGN_OR_RETURN(
      const Window window,
      BlockWindow(op, image, ElementsAs<int64_t>(ctx.in(2))));
  STINT_ASSIGN_OR_RETURN(const Shape blocks,
                         WindowOutput(window, image, false));
  const WindowWalk walk(window, image, blocks);
  const int64_t column = x.dim(2);
  VisitCompute(x.dtype(), [&]<typename Wide>() {
    // Unsigned arithmetic: signed sums wrap.
    using T = std::conditional_t<std::is_same_v<Wide, int64_t>, uint64_t, Wide>;
    const std::vector<T> in = ElementsAs<T>(x);
    std::vector<T> sums(static_cast<size_t>(ctx.out(0).size()), T(0));
    for (int64_t plane = 0; plane < out[0] * out[1]; ++plane) {
      T* target = sums.data() + plane * walk.in_size();
      const T* source = in.data() + plane * walk.kernel_size() * column;
      walk.ForEach([&](int64_t o, int64_t i, int64_t k) {
        target[i] += source[k * column + o];
      });
    }
    StoreElements<T>(sums.data(), 0, ctx.out(0).size(), &ctx.out(0));
  });
  return OkStatus();
}

}  // namespace stint
