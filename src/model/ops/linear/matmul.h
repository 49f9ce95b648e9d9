#pragma once
// Matrix products.

#include <string_view>

#include "model/ops/fields.h"
#include "model/ops/infer_context.h"

namespace stint {

// [..., m, k] x [..., k, n] = [..., m, n], batch dimensions broadcast; a vector
// on either side is a matrix with one row or column that is dropped again.
struct MatMul {
  static constexpr std::string_view kName = "MatMul";
  STINT_FIELDS()
};

// y = alpha * A' * B' + beta * C with A' = A or its transpose; C broadcasts.
struct Gemm {
  static constexpr std::string_view kName = "Gemm";
  float alpha = 1.0f;
  float beta = 1.0f;
  int64_t transA = 0;
  int64_t transB = 0;
  STINT_FIELDS(alpha, beta, transA, transB)
};

Status Infer(const MatMul& op, InferContext& ctx);
Status Infer(const Gemm& op, InferContext& ctx);

// Multiply-accumulates; dimensions that are not known count as 1.
int64_t Macs(const MatMul& op, const InferContext& ctx);
int64_t Macs(const Gemm& op, const InferContext& ctx);

// The shape of a matrix product of shapes a and b, as MatMul defines it.
Result<Shape> MatMulShape(const Shape& a, const Shape& b);

}  // namespace stint
