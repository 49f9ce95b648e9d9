#pragma once
// Reference evaluation of matrix products, convolutions and sums of
// products.

#include "engine/reference/eval_context.h"
#include "model/ops/linear/conv.h"
#include "model/ops/linear/einsum.h"
#include "model/ops/linear/matmul.h"

namespace stint {

Status Eval(const MatMul& op, EvalContext& ctx);
Status Eval(const Gemm& op, EvalContext& ctx);
Status Eval(const Conv& op, EvalContext& ctx);
Status Eval(const ConvTranspose& op, EvalContext& ctx);
Status Eval(const Einsum& op, EvalContext& ctx);

// The sizes of a matrix product and where each batch's matrices start.
struct MatMulPlan {
  int64_t m = 1, k = 1, n = 1;
  struct Batch {
    int64_t a, b, c;  // first elements
  };
  std::vector<Batch> batches;
};
MatMulPlan PlanMatMul(const Shape& a, const Shape& b, const Shape& c);

}  // namespace stint
