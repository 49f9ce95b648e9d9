#include <algorithm>
#include <cmath>

#include "core/tensor/element_access.h"
#include "engine/reference/linear/linear.h"
#include "engine/reference/quantize/quantize.h"
#include "engine/reference/window_walk.h"

namespace stint {
namespace {

// 32-bit sums wrap around, which signed arithmetic may not.
using Word = uint32_t;

// Value i of a parameter that is one number or one per row, column or channel;
// `absent` without the input.
class Parameter {
 public:
  Parameter(const EvalContext& ctx, int input, double absent)
      : values_(ctx.has(input) ? ElementsAs<double>(ctx.in(input))
                               : std::vector<double>{absent}) {}
  double operator[](int64_t i) const {
    return values_[values_.size() == 1 ? 0 : i];
  }

 private:
  std::vector<double> values_;
};

// Elements of a tensor minus zero[index_of(i)].
template <typename IndexOf>
std::vector<Word> LessZero(const Tensor& tensor, const Parameter& zero,
                           IndexOf index_of) {
  const std::vector<int64_t> values = ElementsAs<int64_t>(tensor);
  std::vector<Word> out(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const int64_t z =
        static_cast<int64_t>(zero[index_of(static_cast<int64_t>(i))]);
    out[i] = static_cast<Word>(values[i] - z);
  }
  return out;
}

// store(first output element, row index, sums[n]) for every row of a * b.
template <typename Store>
void MultiplyIntegers(const Tensor& ta, const Parameter& zero_a,
                      const Tensor& tb, const Parameter& zero_b,
                      const MatMulPlan& plan, Store store) {
  const std::vector<Word> a =
      LessZero(ta, zero_a, [&](int64_t i) { return i / plan.k % plan.m; });
  const std::vector<Word> b =
      LessZero(tb, zero_b, [&](int64_t i) { return i % plan.n; });
  std::vector<Word> sums(static_cast<size_t>(plan.n));
  for (const auto& batch : plan.batches) {
    for (int64_t i = 0; i < plan.m; ++i) {
      std::fill(sums.begin(), sums.end(), Word{0});
      for (int64_t p = 0; p < plan.k; ++p) {
        const Word x = a[batch.a + i * plan.k + p];
        const Word* y = b.data() + batch.b + p * plan.n;
        for (int64_t j = 0; j < plan.n; ++j) sums[j] += x * y[j];
      }
      store(batch.c + i * plan.n, i, sums.data());
    }
  }
}

// store(first output element, output channel, sums[out size]) for every image
// plane of the convolution; sums start at bias(channel).
template <typename Bias, typename Store>
Status ConvolveIntegers(const Conv& op, const Tensor& x,
                        const Parameter& zero_x, const Tensor& w,
                        const Parameter& zero_w, const Shape& y, Bias bias,
                        Store store) {
  STINT_ASSIGN_OR_RETURN(const Window window,
                         ConvWindow(op, x.shape(), w.shape()));
  const WindowWalk walk(window, Shape(x.shape().begin() + 2, x.shape().end()),
                        Shape(y.begin() + 2, y.end()));
  const int64_t channels = w.dim(1);
  const int64_t per_output = channels * walk.kernel_size();
  const std::vector<Word> in =
      LessZero(x, zero_x, [](int64_t) { return int64_t{0}; });
  const std::vector<Word> weights =
      LessZero(w, zero_w, [&](int64_t i) { return i / per_output; });
  std::vector<Word> sums(static_cast<size_t>(walk.out_size()));
  for (int64_t n = 0; n < x.dim(0); ++n) {
    for (int64_t oc = 0; oc < w.dim(0); ++oc) {
      std::fill(sums.begin(), sums.end(), bias(oc));
      const int64_t first = oc / (w.dim(0) / op.group) * channels;
      for (int64_t c = 0; c < channels; ++c) {
        const Word* image =
            in.data() + (n * x.dim(1) + first + c) * walk.in_size();
        const Word* kernel =
            weights.data() + oc * per_output + c * walk.kernel_size();
        walk.ForEach([&](int64_t o, int64_t i, int64_t k) {
          sums[o] += image[i] * kernel[k];
        });
      }
      store((n * w.dim(0) + oc) * walk.out_size(), oc, sums.data());
    }
  }
  return OkStatus();
}

// Writes saturate(round(sum * factor(i)) + zero) to [begin, begin + count).
template <typename Factor>
void StoreRequantized(const Word* sums, Factor factor, int64_t zero,
                      int64_t begin, int64_t count, Tensor* out) {
  int32_t low = 0;
  int32_t high = 0;
  if (!QuantizedRange(out->dtype(), &low, &high)) return;
  for (int64_t i = 0; i < count; ++i) {
    const double rounded =
        std::nearbyint(static_cast<int32_t>(sums[i]) * factor(i)) +
        static_cast<double>(zero);
    const double value = rounded > low ? rounded : low;
    const int64_t stored = static_cast<int64_t>(value < high ? value : high);
    StoreElements<int64_t>(&stored, begin + i, 1, out);
  }
}

}  // namespace

Status Eval(const MatMulInteger&, EvalContext& ctx) {
  Tensor& y = ctx.out(0);
  const MatMulPlan plan =
      PlanMatMul(ctx.in(0).shape(), ctx.in(1).shape(), y.shape());
  MultiplyIntegers(ctx.in(0), Parameter(ctx, 2, 0), ctx.in(1),
                   Parameter(ctx, 3, 0), plan,
                   [&](int64_t first, int64_t, const Word* sums) {
                     std::copy_n(sums, plan.n, y.data<Word>() + first);
                   });
  return OkStatus();
}

Status Eval(const ConvInteger& op, EvalContext& ctx) {
  Tensor& y = ctx.out(0);
  const Shape& shape = y.shape();
  const int64_t plane =
      ProductOf(shape.data() + 2, shape.data() + shape.size());
  return ConvolveIntegers(
      GeometryOf(op), ctx.in(0), Parameter(ctx, 2, 0), ctx.in(1),
      Parameter(ctx, 3, 0), shape, [](int64_t) { return Word{0}; },
      [&](int64_t first, int64_t, const Word* sums) {
        std::copy_n(sums, plane, y.data<Word>() + first);
      });
}

Status Eval(const QLinearMatMul&, EvalContext& ctx) {
  Tensor& y = ctx.out(0);
  const MatMulPlan plan =
      PlanMatMul(ctx.in(0).shape(), ctx.in(3).shape(), y.shape());
  const Parameter scale_a(ctx, 1, 1);
  const Parameter scale_b(ctx, 4, 1);
  const double scale_y = ScalarAs<double>(ctx.in(6));
  const int64_t zero_y = ScalarAs<int64_t>(ctx.in(7));
  MultiplyIntegers(ctx.in(0), Parameter(ctx, 2, 0), ctx.in(3),
                   Parameter(ctx, 5, 0), plan,
                   [&](int64_t first, int64_t row, const Word* sums) {
                     const auto factor = [&](int64_t j) {
                       return scale_a[row] * scale_b[j] / scale_y;
                     };
                     StoreRequantized(sums, factor, zero_y, first, plan.n, &y);
                   });
  return OkStatus();
}

Status Eval(const QLinearConv& op, EvalContext& ctx) {
  Tensor& y = ctx.out(0);
  const Shape& shape = y.shape();
  const int64_t plane =
      ProductOf(shape.data() + 2, shape.data() + shape.size());
  const double scale_x = ScalarAs<double>(ctx.in(1));
  const Parameter scale_w(ctx, 4, 1);
  const double scale_y = ScalarAs<double>(ctx.in(6));
  const int64_t zero_y = ScalarAs<int64_t>(ctx.in(7));
  const Parameter bias(ctx, 8, 0);
  return ConvolveIntegers(
      GeometryOf(op), ctx.in(0), Parameter(ctx, 2, 0), ctx.in(3),
      Parameter(ctx, 5, 0), shape,
      [&](int64_t c) {
        return static_cast<Word>(static_cast<int64_t>(bias[c]));
      },
      [&](int64_t first, int64_t c, const Word* sums) {
        const auto factor = [&](int64_t) {
          return scale_x * scale_w[c] / scale_y;
        };
        StoreRequantized(sums, factor, zero_y, first, plane, &y);
      });
}

}  // namespace stint
