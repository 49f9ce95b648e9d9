#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/tensor/element_access.h"
#include "engine/reference/axis_lines.h"
#include "engine/reference/resample/resample.h"
#include "engine/reference/resample/resize_taps.h"

namespace stint {
namespace {

// Elements written by one task.
constexpr int64_t kGrain = 1 << 14;

void ForRows(ThreadPool* pool, int64_t rows, int64_t row_elements,
             FunctionRef<void(int64_t, int64_t)> body) {
  const int64_t grain =
      std::max<int64_t>(1, kGrain / std::max<int64_t>(1, row_elements));
  if (pool == nullptr) {
    body(0, rows);
  } else {
    pool->ParallelFor(rows, grain, body);
  }
}

// The same along the last dimension, where elements of a line are neighbors.
template <typename T>
void ResizeLines(const T* in, int64_t lines, int64_t length,
                 const ResizeTaps& taps, int64_t out_length, ThreadPool* pool,
                 T* out) {
  const std::vector<T> weights(taps.weight.begin(), taps.weight.end());
  const auto run = [&](int64_t begin, int64_t end) {
    for (int64_t line = begin; line < end; ++line) {
      const T* source = in + line * length;
      T* target = out + line * out_length;
      for (int64_t o = 0; o < out_length; ++o) {
        T sum = 0;
        for (int64_t t = o * taps.taps; t < (o + 1) * taps.taps; ++t) {
          sum += weights[t] * source[taps.index[t]];
        }
        target[o] = sum;
      }
    }
  };
  ForRows(pool, lines, out_length * taps.taps, run);
}

// out[outer, o, inner] = sum of weighted in[outer, taps of o, inner].
template <typename T>
void ResizeAlong(const T* in, const AxisLines& lines, const ResizeTaps& taps,
                 int64_t out_length, ThreadPool* pool, T* out) {
  const std::vector<T> weights(taps.weight.begin(), taps.weight.end());
  const auto run = [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const int64_t o = row % out_length;
      const T* source = in + row / out_length * lines.length * lines.inner;
      T* target = out + row * lines.inner;
      std::fill_n(target, lines.inner, T(0));
      for (int64_t t = o * taps.taps; t < (o + 1) * taps.taps; ++t) {
        const T* line = source + taps.index[t] * lines.inner;
        const T weight = weights[t];
        for (int64_t i = 0; i < lines.inner; ++i) {
          target[i] += weight * line[i];
        }
      }
    }
  };
  ForRows(pool, lines.outer * out_length, lines.inner * taps.taps, run);
}

template <typename T>
std::vector<T> ResizeAll(const std::vector<ResizedDim>& dims,
                         const std::vector<ResizeTaps>& taps, ThreadPool* pool,
                         std::vector<T> data) {
  Shape shape;
  for (const ResizedDim& dim : dims) shape.push_back(dim.in);
  for (size_t d = 0; d < dims.size(); ++d) {
    if (dims[d].IsIdentity()) continue;
    const AxisLines lines(shape, static_cast<int64_t>(d));
    std::vector<T> next(
        static_cast<size_t>(lines.outer * dims[d].out * lines.inner));
    if (lines.inner == 1) {
      ResizeLines(data.data(), lines.outer, lines.length, taps[d], dims[d].out,
                  pool, next.data());
    } else {
      ResizeAlong(data.data(), lines, taps[d], dims[d].out, pool, next.data());
    }
    shape[d] = dims[d].out;
    data = std::move(next);
  }
  return data;
}

// Integers are rounded and saturate.
template <typename T>
void StoreSaturated(std::vector<T>& values, Tensor* out) {
  if (IsInteger(out->dtype())) {
    const bool is_signed =
        ComputeClassOf(out->dtype()) == ComputeClass::kSigned;
    int bits = static_cast<int>(DTypeSize(out->dtype())) * 8;
    if (out->dtype() == DType::kInt4 || out->dtype() == DType::kUInt4) bits = 4;
    if (out->dtype() == DType::kInt2 || out->dtype() == DType::kUInt2) bits = 2;
    const T high = static_cast<T>(std::ldexp(1.0, bits - (is_signed ? 1 : 0)) -
                                  (bits < 64 ? 1.0 : 0.0));
    const T low = is_signed ? static_cast<T>(-std::ldexp(1.0, bits - 1)) : T(0);
    for (T& value : values) {
      value = std::clamp(std::nearbyint(value), low, high);
    }
  }
  StoreElements<T>(values.data(), 0, out->size(), out);
}

// Writes the extrapolation value wherever some dimension is outside.
template <typename T>
void Extrapolate(const std::vector<ResizedDim>& dims,
                 const std::vector<ResizeTaps>& taps, T value, Tensor* out) {
  Shape shape;
  for (const ResizedDim& dim : dims) shape.push_back(dim.out);
  for (size_t d = 0; d < dims.size(); ++d) {
    if (dims[d].IsIdentity()) continue;
    const AxisLines lines(shape, static_cast<int64_t>(d));
    for (int64_t row = 0; row < lines.outer * lines.length; ++row) {
      if (!taps[d].outside[row % lines.length]) continue;
      for (int64_t i = 0; i < lines.inner; ++i) {
        StoreElements<T>(&value, row * lines.inner + i, 1, out);
      }
    }
  }
}

// Rows along the last dimension, each gathered from one input row.
template <typename T>
void PickNearest(const Tensor& x, const std::vector<ResizeTaps>& taps,
                 ThreadPool* pool, Tensor* out) {
  const size_t rank = out->shape().size();
  const std::vector<int64_t> strides = StridesOf(x.shape());
  const int64_t width = out->dim(static_cast<int64_t>(rank) - 1);
  const std::vector<int64_t>& columns = taps[rank - 1].index;
  const auto run = [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      int64_t rest = row;
      int64_t offset = 0;
      for (size_t d = rank - 1; d-- > 0;) {
        const int64_t size = out->shape()[d];
        offset += taps[d].index[rest % size] * strides[d];
        rest /= size;
      }
      const T* source = x.data<T>() + offset;
      T* target = out->data<T>() + row * width;
      for (int64_t i = 0; i < width; ++i) target[i] = source[columns[i]];
    }
  };
  ForRows(pool, out->size() / width, width, run);
}

}  // namespace

Status Eval(const Resize& op, EvalContext& ctx) {
  const Tensor& x = ctx.in(0);
  const auto input = [&](int i) { return ctx.has(i) ? &ctx.in(i) : nullptr; };
  STINT_ASSIGN_OR_RETURN(const auto dims, ResizedDims(op, x.shape(), input(1),
                                                      input(2), input(3)));
  Tensor& out = ctx.out(0);
  if (out.size() == 0) return OkStatus();
  std::vector<ResizeTaps> taps;
  for (const ResizedDim& dim : dims) {
    STINT_ASSIGN_OR_RETURN(ResizeTaps made, MakeResizeTaps(op, dim));
    taps.push_back(std::move(made));
  }
  if (op.mode == "nearest") {
    VisitStorage(x.dtype(), [&]<typename T>() {
      PickNearest<T>(x, taps, ctx.pool(), &out);
    });
  } else {
    VisitFloatCompute(
        x.dtype() == DType::kFloat32 ? DType::kFloat32 : DType::kFloat64,
        [&]<typename T>() {
          std::vector<T> values =
              ResizeAll<T>(dims, taps, ctx.pool(), ElementsAs<T>(x));
          StoreSaturated(values, &out);
        });
  }
  if (op.coordinate_transformation_mode == "tf_crop_and_resize") {
    if (x.dtype() == DType::kString) return Unsupported("cropping strings");
    Extrapolate<double>(dims, taps, static_cast<double>(op.extrapolation_value),
                        &out);
  }
  return OkStatus();
}

}  // namespace stint
