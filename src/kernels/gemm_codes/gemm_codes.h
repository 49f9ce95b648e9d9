#pragma once
// C[m,n] = act(scale_a[m] * scale_b[n] * sum_k (A[m,k] - zero_a[m]) * B[n,k]
//              + scale_a[m] * sum_outliers (A[m,k] - zero_a[m]) * value
//              + bias[n] + R[m,n]), A in u8, B in coded planes of 2 to 8 bits.
// Sums over codes are exact in int32, those over outliers are in fp32.
//
// Planes are decoded chunk by chunk (up to 48 columns) into scratch in the
// packed order of gemm_s8 and multiplied by its micro-kernels: no other copy of
// the weights exists. Columns are summed while they are decoded, so planes may
// arrive at any time before the call.
//
// The limit: per 64 weights b * 8 bytes are read, one decoding takes 2 to 4
// cycles (vbmi.h) and m products of vpdpbusd m / 2. At 128 rows decoding is 5 %
// of that; up to 8 rows both are less than reading the weights in fp32, 256
// bytes, takes from L3 (25 cycles) or memory (50).

#include <cstdint>

#include "kernels/gemm_codes/coded_matrix.h"
#include "kernels/gemm_s8/gemm_s8.h"

namespace stint {

struct GemmCodesKernel {
  const GemmS8Kernel* products;
  const CodeDecoder* decoder;
};

// The best pair on a machine of level `cap`.
GemmCodesKernel PickGemmCodes(Isa cap);

// 64-byte aligned; `outliers` is the number of them.
int64_t GemmCodesScratchBytes(const GemmCodesKernel& kernel, int64_t m,
                              int64_t k, int64_t outliers, int threads);

// `args.b` is not read, `args.scratch` has GemmCodesScratchBytes.
void GemmCodes(const GemmCodesKernel& kernel, const GemmS8Args& args,
               const CodedMatrix& b, ThreadPool* pool);

}  // namespace stint
