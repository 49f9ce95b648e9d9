#include <cmath>

#include "core/tensor/element_access.h"
#include "engine/reference/axis_lines.h"
#include "engine/reference/nn/nn.h"
#include "model/ops/infer_context.h"

namespace stint {
namespace {

// Applies f(line, length), a contiguous copy of each line, in place.
template <typename F>
Status EvalLines(int64_t axis, EvalContext& ctx, F f) {
  const Tensor& x = ctx.in(0);
  if (!IsFloat(x.dtype())) {
    return Unsupported("element type " + std::string(DTypeName(x.dtype())));
  }
  if (x.rank() > 0) {
    STINT_ASSIGN_OR_RETURN(axis, NormalizeAxis(axis, x.rank()));
  }
  const AxisLines lines(x.shape(), axis);
  VisitFloatCompute(x.dtype(), [&]<typename T>() {
    std::vector<T> all = ElementsAs<T>(x);
    std::vector<T> line(static_cast<size_t>(lines.length));
    if (lines.length == 0) return;
    lines.ForEach([&](int64_t first) {
      for (int64_t i = 0; i < lines.length; ++i) {
        line[i] = all[first + i * lines.inner];
      }
      f(line.data(), lines.length);
      for (int64_t i = 0; i < lines.length; ++i) {
        all[first + i * lines.inner] = line[i];
      }
    });
    StoreElements<T>(all.data(), 0, x.size(), &ctx.out(0));
  });
  return OkStatus();
}

template <typename T>
T MaxOf(const T* line, int64_t n) {
  T max = line[0];
  for (int64_t i = 1; i < n; ++i) max = line[i] > max ? line[i] : max;
  return max;
}

}  // namespace

Status Eval(const Softmax& op, EvalContext& ctx) {
  return EvalLines(op.axis, ctx, []<typename T>(T* line, int64_t n) {
    const T max = MaxOf(line, n);
    T sum = 0;
    for (int64_t i = 0; i < n; ++i) sum += line[i] = std::exp(line[i] - max);
    for (int64_t i = 0; i < n; ++i) line[i] /= sum;
  });
}

Status Eval(const LogSoftmax& op, EvalContext& ctx) {
  return EvalLines(op.axis, ctx, []<typename T>(T* line, int64_t n) {
    const T max = MaxOf(line, n);
    T sum = 0;
    for (int64_t i = 0; i < n; ++i) sum += std::exp(line[i] - max);
    const T shift = max + std::log(sum);
    for (int64_t i = 0; i < n; ++i) line[i] -= shift;
  });
}

Status Eval(const Hardmax& op, EvalContext& ctx) {
  return EvalLines(op.axis, ctx, []<typename T>(T* line, int64_t n) {
    int64_t best = 0;
    for (int64_t i = 1; i < n; ++i) best = line[i] > line[best] ? i : best;
    for (int64_t i = 0; i < n; ++i) line[i] = T(i == best);
  });
}

}  // namespace stint
