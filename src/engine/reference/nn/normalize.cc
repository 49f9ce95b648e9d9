#include <cmath>

#include "core/tensor/broadcast.h"
#include "core/tensor/element_access.h"
#include "engine/reference/axis_lines.h"
#include "engine/reference/map_elements.h"
#include "engine/reference/nn/nn.h"
#include "model/ops/infer_context.h"

namespace stint {
namespace {

template <typename T>
struct Moments {
  T mean = 0;
  T variance = 0;
};

// Two passes over n contiguous elements.
template <typename T>
Moments<T> MomentsOf(const T* x, int64_t n) {
  Moments<T> m;
  for (int64_t i = 0; i < n; ++i) m.mean += x[i];
  m.mean /= static_cast<T>(n);
  for (int64_t i = 0; i < n; ++i) {
    m.variance += (x[i] - m.mean) * (x[i] - m.mean);
  }
  m.variance /= static_cast<T>(n);
  return m;
}

// x * scale + bias with both broadcast to x; bias may be absent.
template <typename T>
void ScaleAndShift(EvalContext& ctx, Tensor* y) {
  MapBroadcast<T, T>(*y, ctx.in(1), y, [](T a, T b) { return a * b; });
  if (ctx.has(2)) {
    MapBroadcast<T, T>(*y, ctx.in(2), y, [](T a, T b) { return a + b; });
  }
}

int64_t SpatialSize(const Tensor& x) {
  int64_t size = 1;
  for (int64_t d = 2; d < x.rank(); ++d) size *= x.dim(d);
  return size;
}

template <typename T>
void BatchStatistics(const std::vector<T>& x, const Tensor& shape_of,
                     std::vector<T>* mean, std::vector<T>* variance) {
  const int64_t n = shape_of.dim(0);
  const int64_t c = shape_of.dim(1);
  const int64_t s = SpatialSize(shape_of);
  std::vector<T> channel(static_cast<size_t>(n * s));
  for (int64_t ch = 0; ch < c; ++ch) {
    for (int64_t b = 0; b < n; ++b) {
      std::copy_n(x.data() + (b * c + ch) * s, s, channel.data() + b * s);
    }
    const Moments<T> m = MomentsOf(channel.data(), n * s);
    (*mean)[ch] = m.mean;
    (*variance)[ch] = m.variance;
  }
}

}  // namespace

Status Eval(const BatchNormalization& op, EvalContext& ctx) {
  const Tensor& tx = ctx.in(0);
  const int64_t c = tx.rank() > 1 ? tx.dim(1) : 1;
  const int64_t s = SpatialSize(tx);
  VisitFloatCompute(tx.dtype(), [&]<typename T>() {
    std::vector<T> x = ElementsAs<T>(tx);
    const std::vector<T> scale = ElementsAs<T>(ctx.in(1));
    const std::vector<T> bias = ElementsAs<T>(ctx.in(2));
    std::vector<T> mean = ElementsAs<T>(ctx.in(3));
    std::vector<T> variance = ElementsAs<T>(ctx.in(4));
    if (op.training_mode) {
      const std::vector<T> old_mean = mean;
      const std::vector<T> old_variance = variance;
      BatchStatistics(x, tx, &mean, &variance);
      const T keep = op.momentum;
      for (int64_t i = 0; i < c; ++i) {
        const T m = old_mean[i] * keep + mean[i] * (T(1) - keep);
        const T v = old_variance[i] * keep + variance[i] * (T(1) - keep);
        if (ctx.wants(1)) StoreElements<T>(&m, i, 1, &ctx.out(1));
        if (ctx.wants(2)) StoreElements<T>(&v, i, 1, &ctx.out(2));
      }
    }
    for (int64_t i = 0; i < tx.size(); ++i) {
      const int64_t ch = i / s % c;
      x[i] = scale[ch] * (x[i] - mean[ch]) /
                 std::sqrt(variance[ch] + static_cast<T>(op.epsilon)) +
             bias[ch];
    }
    StoreElements<T>(x.data(), 0, tx.size(), &ctx.out(0));
  });
  return OkStatus();
}

namespace {

// Normalizes each of `groups` equal runs of x to mean 0 and variance 1, then
// scales and shifts by channel.
template <typename T>
void NormalizeRuns(EvalContext& ctx, int64_t runs, float epsilon) {
  const Tensor& tx = ctx.in(0);
  std::vector<T> x = ElementsAs<T>(tx);
  const std::vector<T> scale = ElementsAs<T>(ctx.in(1));
  const std::vector<T> bias = ElementsAs<T>(ctx.in(2));
  const int64_t length = runs > 0 ? tx.size() / runs : 0;
  const int64_t s = SpatialSize(tx);
  for (int64_t r = 0; r < runs && length > 0; ++r) {
    T* run = x.data() + r * length;
    const Moments<T> m = MomentsOf(run, length);
    const T inverse = T(1) / std::sqrt(m.variance + static_cast<T>(epsilon));
    for (int64_t i = 0; i < length; ++i) {
      const int64_t ch = (r * length + i) / s % tx.dim(1);
      run[i] = (run[i] - m.mean) * inverse * scale[ch] + bias[ch];
    }
  }
  StoreElements<T>(x.data(), 0, tx.size(), &ctx.out(0));
}

}  // namespace

Status Eval(const InstanceNormalization& op, EvalContext& ctx) {
  VisitFloatCompute(ctx.in(0).dtype(), [&]<typename T>() {
    NormalizeRuns<T>(ctx, ctx.in(0).dim(0) * ctx.in(0).dim(1), op.epsilon);
  });
  return OkStatus();
}

Status Eval(const GroupNormalization& op, EvalContext& ctx) {
  VisitFloatCompute(ctx.in(0).dtype(), [&]<typename T>() {
    NormalizeRuns<T>(ctx, ctx.in(0).dim(0) * op.num_groups, op.epsilon);
  });
  return OkStatus();
}

namespace {

// Splits a shape at `axis` into rows and row length.
std::pair<int64_t, int64_t> RowsAt(const Shape& shape, int64_t axis) {
  int64_t rows = 1;
  int64_t length = 1;
  for (size_t d = 0; d < shape.size(); ++d) {
    (static_cast<int64_t>(d) < axis ? rows : length) *= shape[d];
  }
  return {rows, length};
}

}  // namespace

Status Eval(const LayerNormalization& op, EvalContext& ctx) {
  const Tensor& tx = ctx.in(0);
  STINT_ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(op.axis, tx.rank()));
  const auto [rows, length] = RowsAt(tx.shape(), axis);
  VisitFloatCompute(
      tx.dtype(), [&, rows = rows, length = length]<typename T>() {
        std::vector<T> x = ElementsAs<T>(tx);
        for (int64_t r = 0; r < rows; ++r) {
          T* row = x.data() + r * length;
          const Moments<T> m = MomentsOf(row, length);
          const T inverse =
              T(1) / std::sqrt(m.variance + static_cast<T>(op.epsilon));
          for (int64_t i = 0; i < length; ++i)
            row[i] = (row[i] - m.mean) * inverse;
          if (ctx.wants(1)) StoreElements<T>(&m.mean, r, 1, &ctx.out(1));
          if (ctx.wants(2)) StoreElements<T>(&inverse, r, 1, &ctx.out(2));
        }
        StoreElements<T>(x.data(), 0, tx.size(), &ctx.out(0));
        ScaleAndShift<T>(ctx, &ctx.out(0));
      });
  return OkStatus();
}

Status Eval(const RMSNormalization& op, EvalContext& ctx) {
  const Tensor& tx = ctx.in(0);
  STINT_ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(op.axis, tx.rank()));
  const auto [rows, length] = RowsAt(tx.shape(), axis);
  VisitFloatCompute(
      tx.dtype(), [&, rows = rows, length = length]<typename T>() {
        std::vector<T> x = ElementsAs<T>(tx);
        for (int64_t r = 0; r < rows; ++r) {
          T* row = x.data() + r * length;
          T square = 0;
          for (int64_t i = 0; i < length; ++i) square += row[i] * row[i];
          const T inverse = T(1) / std::sqrt(square / static_cast<T>(length) +
                                             static_cast<T>(op.epsilon));
          for (int64_t i = 0; i < length; ++i) row[i] *= inverse;
        }
        StoreElements<T>(x.data(), 0, tx.size(), &ctx.out(0));
        ScaleAndShift<T>(ctx, &ctx.out(0));
      });
  return OkStatus();
}

Status Eval(const LpNormalization& op, EvalContext& ctx) {
  const Tensor& tx = ctx.in(0);
  STINT_ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(op.axis, tx.rank()));
  const AxisLines lines(tx.shape(), axis);
  VisitFloatCompute(tx.dtype(), [&]<typename T>() {
    std::vector<T> x = ElementsAs<T>(tx);
    lines.ForEach([&](int64_t first) {
      T norm = 0;
      for (int64_t i = 0; i < lines.length; ++i) {
        const T v = x[first + i * lines.inner];
        norm += op.p == 1 ? std::fabs(v) : v * v;
      }
      if (op.p == 2) norm = std::sqrt(norm);
      for (int64_t i = 0; i < lines.length && norm != 0; ++i) {
        x[first + i * lines.inner] /= norm;
      }
    });
    StoreElements<T>(x.data(), 0, tx.size(), &ctx.out(0));
  });
  return OkStatus();
}

Status Eval(const MeanVarianceNormalization& op, EvalContext& ctx) {
  const Tensor& tx = ctx.in(0);
  STINT_ASSIGN_OR_RETURN(const auto axes, NormalizeAxes(op.axes, tx.rank()));
  // Statistics live in a tensor with 1 at the reduced axes.
  Shape kept = tx.shape();
  for (int64_t axis : axes) kept[axis] = 1;
  STINT_ASSIGN_OR_RETURN(const int64_t groups, ElementCount(kept));
  VisitFloatCompute(tx.dtype(), [&]<typename T>() {
    std::vector<T> x = ElementsAs<T>(tx);
    std::vector<std::vector<int64_t>> members(static_cast<size_t>(groups));
    const BroadcastWalk walk(tx.shape(), {&kept});
    walk.ForEachRun([&](int64_t at, const int64_t* in) {
      for (int64_t i = 0; i < walk.run_length(); ++i) {
        members[in[0] + (walk.repeats(0) ? 0 : i)].push_back(at + i);
      }
    });
    std::vector<T> values;
    for (const auto& group : members) {
      values.clear();
      for (int64_t i : group) values.push_back(x[i]);
      const Moments<T> m =
          MomentsOf(values.data(), static_cast<int64_t>(values.size()));
      for (int64_t i : group) {
        x[i] = (x[i] - m.mean) / (std::sqrt(m.variance) + T(1e-9));
      }
    }
    StoreElements<T>(x.data(), 0, tx.size(), &ctx.out(0));
  });
  return OkStatus();
}

Status Eval(const LRN& op, EvalContext& ctx) {
  const Tensor& tx = ctx.in(0);
  const int64_t c = tx.dim(1);
  const int64_t s = SpatialSize(tx);
  VisitFloatCompute(tx.dtype(), [&]<typename T>() {
    const std::vector<T> x = ElementsAs<T>(tx);
    std::vector<T> y(x.size());
    for (int64_t i = 0; i < tx.size(); ++i) {
      const int64_t ch = i / s % c;
      const int64_t first = std::max<int64_t>(0, ch - (op.size - 1) / 2);
      const int64_t last = std::min(c - 1, ch + op.size / 2);
      T square = 0;
      for (int64_t j = first; j <= last; ++j) {
        const T v = x[i + (j - ch) * s];
        square += v * v;
      }
      y[i] = x[i] / std::pow(static_cast<T>(op.bias) +
                                 static_cast<T>(op.alpha) /
                                     static_cast<T>(op.size) * square,
                             static_cast<T>(op.beta));
    }
    StoreElements<T>(y.data(), 0, tx.size(), &ctx.out(0));
  });
  return OkStatus();
}

}  // namespace stint
