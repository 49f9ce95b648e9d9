#include "core/tensor/broadcast.h"
#include "engine/reference/linear/linear.h"
#include "engine/reference/map_elements.h"

namespace stint {

MatMulPlan PlanMatMul(const Shape& a, const Shape& b, const Shape& c) {
  MatMulPlan plan;
  plan.m = a.size() > 1 ? a[a.size() - 2] : 1;
  plan.k = a.back();
  plan.n = b.size() > 1 ? b.back() : 1;
  const Shape batch_a(a.begin(), a.end() - (a.size() > 1 ? 2 : 1));
  const Shape batch_b(b.begin(), b.end() - (b.size() > 1 ? 2 : 1));
  const size_t dropped = (a.size() > 1 ? 1 : 0) + (b.size() > 1 ? 1 : 0);
  const Shape batch_c(c.begin(), c.end() - dropped);
  const BroadcastWalk walk(batch_c, {&batch_a, &batch_b});
  walk.ForEachRun([&](int64_t at, const int64_t* in) {
    for (int64_t i = 0; i < walk.run_length(); ++i) {
      plan.batches.push_back(
          {(in[0] + (walk.repeats(0) ? 0 : i)) * plan.m * plan.k,
           (in[1] + (walk.repeats(1) ? 0 : i)) * plan.k * plan.n,
           (at + i) * plan.m * plan.n});
    }
  });
  return plan;
}

Status Eval(const MatMul&, EvalContext& ctx) {
  const Tensor& ta = ctx.in(0);
  const Tensor& tb = ctx.in(1);
  Tensor& tc = ctx.out(0);
  const MatMulPlan plan = PlanMatMul(ta.shape(), tb.shape(), tc.shape());
  VisitCompute(ta.dtype(), [&]<typename T>() {
    const std::vector<T> a = ElementsAs<T>(ta);
    const std::vector<T> b = ElementsAs<T>(tb);
    std::vector<T> row(static_cast<size_t>(plan.n));
    for (const auto& batch : plan.batches) {
      for (int64_t i = 0; i < plan.m; ++i) {
        std::fill(row.begin(), row.end(), T(0));
        for (int64_t p = 0; p < plan.k; ++p) {
          const T x = a[batch.a + i * plan.k + p];
          const T* y = b.data() + batch.b + p * plan.n;
          for (int64_t j = 0; j < plan.n; ++j) row[j] += x * y[j];
        }
        StoreElements<T>(row.data(), batch.c + i * plan.n, plan.n, &tc);
      }
    }
  });
  return OkStatus();
}

Status Eval(const Gemm& op, EvalContext& ctx) {
  const Tensor& ta = ctx.in(0);
  const Tensor& tb = ctx.in(1);
  Tensor& out = ctx.out(0);
  const int64_t m = out.dim(0);
  const int64_t n = out.dim(1);
  const int64_t k = ta.dim(op.transA ? 0 : 1);
  const bool has_c = ctx.has(2);
  VisitCompute(ta.dtype(), [&]<typename T>() {
    const std::vector<T> a = ElementsAs<T>(ta);
    const std::vector<T> b = ElementsAs<T>(tb);
    std::vector<T> y(static_cast<size_t>(m * n), T(0));
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t p = 0; p < k; ++p) {
        const T x = op.transA ? a[p * m + i] : a[i * k + p];
        for (int64_t j = 0; j < n; ++j) {
          y[i * n + j] += x * (op.transB ? b[j * k + p] : b[p * n + j]);
        }
      }
    }
    const auto scale = [](T value, float factor) {
      return factor == 1.0f ? value
                            : static_cast<T>(static_cast<double>(value) *
                                             static_cast<double>(factor));
    };
    for (T& value : y) value = scale(value, op.alpha);
    StoreElements<T>(y.data(), 0, m * n, &out);
    if (has_c) {
      MapBroadcast<T, T>(out, ctx.in(2), &out,
                         [&](T u, T v) { return u + scale(v, op.beta); });
    }
  });
  return OkStatus();
}

}  // namespace stint
