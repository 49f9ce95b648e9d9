#pragma once
// A constant matrix in the panel layout of the fp32 GEMM.

#include "kernels/gemm_f32/gemm_f32.h"
#include "stint/tensor.h"

namespace stint {

struct PackedMatrix {
  int64_t k = 0;
  int64_t n = 0;
  Tensor panels;
  const float* data() const { return panels.data<float>(); }
};

// `b` is [k,n], or [n,k] when transposed.
inline Result<PackedMatrix> PackMatrix(const GemmF32Kernel& kernel,
                                       const Tensor& b, bool transposed) {
  PackedMatrix packed;
  packed.k = b.dim(transposed ? 1 : 0);
  packed.n = b.dim(transposed ? 0 : 1);
  const int64_t bytes = GemmF32PackedBytes(kernel, packed.n, packed.k);
  STINT_ASSIGN_OR_RETURN(packed.panels,
                         Tensor::Allocate(DType::kFloat32, {bytes / 4}));
  GemmF32PackB(kernel, {b.data<float>(), b.dim(1), transposed}, packed.n,
               packed.k, packed.panels.data<float>(), nullptr);
  return packed;
}

}  // namespace stint
