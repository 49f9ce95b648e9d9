#include "engine/reference/fused/fused.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "core/tensor/broadcast.h"
#include "engine/reference/fused_activation.h"
#include "engine/reference/linear/linear.h"
#include "kernels/simd/curves.h"

namespace stint {
namespace {

void ActivateInPlace(const Activation& act, Tensor* y) {
  float* data = y->data<float>();
  for (int64_t i = 0; i < y->size(); ++i) {
    data[i] = static_cast<float>(ReferenceActivation(data[i], act));
  }
}

// Columns [first, first + n) of the product with one weight.
void MultiplyPart(const Tensor& x, const Tensor& w, bool transposed,
                  const float* bias, int64_t first, Tensor* product) {
  const int64_t k = x.shape().back();
  const int64_t n = w.dim(transposed ? 0 : 1);
  const int64_t columns = product->shape().back();
  for (int64_t i = 0; i < product->size() / columns; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      double sum = bias != nullptr ? bias[j] : 0;
      for (int64_t p = 0; p < k; ++p) {
        const int64_t at = transposed ? j * k + p : p * n + j;
        sum += static_cast<double>(x.data<float>()[i * k + p]) *
               w.data<float>()[at];
      }
      product->data<float>()[i * columns + first + j] = static_cast<float>(sum);
    }
  }
}

void AddBroadcast(const Tensor& a, const Tensor& b, Tensor* out) {
  const BroadcastWalk walk(out->shape(), {&a.shape(), &b.shape()});
  walk.ForEachRun([&](int64_t first, const int64_t* in) {
    for (int64_t i = 0; i < walk.run_length(); ++i) {
      out->data<float>()[first + i] =
          a.data<float>()[in[0] + (walk.repeats(0) ? 0 : i)] +
          b.data<float>()[in[1] + (walk.repeats(1) ? 0 : i)];
    }
  });
}

// One head of one text: rows of q, k and v, `stride` floats apart.
struct Head {
  const float* q;
  const float* k;
  const float* v;
  int64_t q_stride, k_stride, v_stride;
  int64_t q_length, k_length, size, value_size;
  const float* mask;  // [q_length, k_length] or null
  float* y;
  int64_t y_stride;
};

void AttendRow(const Head& head, int64_t i, float scale) {
  std::vector<double> scores(static_cast<size_t>(head.k_length));
  double most = -INFINITY;
  for (int64_t j = 0; j < head.k_length; ++j) {
    double dot = 0;
    for (int64_t d = 0; d < head.size; ++d) {
      dot += static_cast<double>(head.q[i * head.q_stride + d]) *
             head.k[j * head.k_stride + d];
    }
    scores[j] = dot * scale;
    if (head.mask != nullptr) scores[j] += head.mask[i * head.k_length + j];
    most = std::max(most, scores[j]);
  }
  double sum = 0;
  for (double& score : scores) sum += score = std::exp(score - most);
  for (int64_t d = 0; d < head.value_size; ++d) {
    double mixed = 0;
    for (int64_t j = 0; j < head.k_length; ++j) {
      mixed += scores[j] * head.v[j * head.v_stride + d];
    }
    head.y[i * head.y_stride + d] = static_cast<float>(mixed / sum);
  }
}

// The mask spread to [batch, heads, q length, k length]; empty without one.
Result<Tensor> SpreadMask(const EvalContext& ctx, const Shape& shape) {
  if (!ctx.has(FusedAttention::kMask)) return Tensor();
  const Tensor& mask = ctx.in(FusedAttention::kMask);
  STINT_ASSIGN_OR_RETURN(Tensor spread,
                         Tensor::Allocate(DType::kFloat32, shape));
  const BroadcastWalk walk(shape, {&mask.shape()});
  walk.ForEachRun([&](int64_t first, const int64_t* in) {
    for (int64_t i = 0; i < walk.run_length(); ++i) {
      spread.data<float>()[first + i] =
          mask.data<float>()[in[0] + (walk.repeats(0) ? 0 : i)];
    }
  });
  return spread;
}

// Weights are the inputs before `end`.
Status EvalLinear(const FusedLinear& op, EvalContext& ctx, int end) {
  const Tensor& x = ctx.in(0);
  int64_t columns = 0;
  for (int i = FusedLinear::kFirstWeight; i < end; i += 2) {
    columns += ctx.in(i).dim(op.transB ? 0 : 1);
  }
  Shape shape = x.shape();
  shape.back() = columns;
  STINT_ASSIGN_OR_RETURN(Tensor product,
                         Tensor::Allocate(DType::kFloat32, shape));
  int64_t first = 0;
  for (int i = FusedLinear::kFirstWeight; i < end; i += 2) {
    const float* bias = ctx.has(i + 1) ? ctx.in(i + 1).data<float>() : nullptr;
    MultiplyPart(x, ctx.in(i), op.transB != 0, bias, first, &product);
    first += ctx.in(i).dim(op.transB ? 0 : 1);
  }
  Tensor& y = ctx.out(0);
  if (ctx.has(1)) {
    AddBroadcast(product, ctx.in(1), &y);
  } else {
    std::copy_n(product.data<float>(), product.size(), y.data<float>());
  }
  ActivateInPlace(ActivationOf(op), &y);
  return OkStatus();
}

void NormalizeRow(const float* scale, const float* shift, float epsilon,
                  std::span<float> row) {
  const double count = static_cast<double>(row.size());
  double mean = 0, variance = 0;
  for (float x : row) mean += x / count;
  for (float x : row) variance += (x - mean) * (x - mean) / count;
  for (size_t i = 0; i < row.size(); ++i) {
    const double x = (row[i] - mean) / std::sqrt(variance + epsilon);
    row[i] = static_cast<float>(x * scale[i] + (shift ? shift[i] : 0));
  }
}

}  // namespace

Status Eval(const FusedLinear& op, EvalContext& ctx) {
  return EvalLinear(op, ctx, ctx.num_inputs());
}

Status Eval(const FusedLinearNorm& op, EvalContext& ctx) {
  STINT_RETURN_IF_ERROR(EvalLinear(op, ctx, FusedLinearNorm::kScale));
  const float* scale = ctx.in(FusedLinearNorm::kScale).data<float>();
  const float* shift = ctx.has(FusedLinearNorm::kShift)
                           ? ctx.in(FusedLinearNorm::kShift).data<float>()
                           : nullptr;
  Tensor& y = ctx.out(0);
  const auto n = static_cast<size_t>(y.shape().back());
  for (int64_t at = 0; at < y.size(); at += y.shape().back()) {
    NormalizeRow(scale, shift, op.epsilon, {y.data<float>() + at, n});
  }
  return OkStatus();
}

Status Eval(const FusedConv& op, EvalContext& ctx) {
  STINT_RETURN_IF_ERROR(Eval(static_cast<const Conv&>(op), ctx));
  Tensor& y = ctx.out(0);
  if (ctx.has(3)) {
    for (int64_t i = 0; i < y.size(); ++i) {
      y.data<float>()[i] += ctx.in(3).data<float>()[i];
    }
  }
  ActivateInPlace(ActivationOf(op), &y);
  return OkStatus();
}

Status Eval(const FusedAttention& op, EvalContext& ctx) {
  const bool packed = !ctx.has(1);
  const Tensor& q = ctx.in(0);
  const Tensor& k = ctx.in(packed ? 0 : 1);
  const Tensor& v = ctx.in(packed ? 0 : 2);
  Tensor& y = ctx.out(0);
  const int64_t hidden = packed ? q.dim(2) / 3 : q.dim(2);
  const int64_t size = hidden / op.heads;
  const int64_t value_size = y.dim(2) / op.heads;
  const int64_t q_length = q.dim(1);
  const int64_t k_length = k.dim(1);
  STINT_ASSIGN_OR_RETURN(
      const Tensor mask,
      SpreadMask(ctx, {q.dim(0), op.heads, q_length, k_length}));
  for (int64_t b = 0; b < q.dim(0); ++b) {
    for (int64_t h = 0; h < op.heads; ++h) {
      Head head;
      head.q = q.data<float>() + b * q_length * q.dim(2) + h * size;
      head.k = k.data<float>() + b * k_length * k.dim(2) + h * size +
               (packed ? hidden : 0);
      head.v = v.data<float>() + b * k_length * v.dim(2) + h * value_size +
               (packed ? 2 * hidden : 0);
      head.q_stride = q.dim(2);
      head.k_stride = k.dim(2);
      head.v_stride = v.dim(2);
      head.q_length = q_length;
      head.k_length = k_length;
      head.size = size;
      head.value_size = value_size;
      head.mask =
          mask.size() > 0 && mask.raw() != nullptr
              ? mask.data<float>() + (b * op.heads + h) * q_length * k_length
              : nullptr;
      head.y = y.data<float>() + b * q_length * y.dim(2) + h * value_size;
      head.y_stride = y.dim(2);
      for (int64_t i = 0; i < q_length; ++i) AttendRow(head, i, op.scale);
    }
  }
  return OkStatus();
}

}  // namespace stint
