#pragma once
// The loops every decoder is compared with, weight by weight.

#include "kernels/gemm_codes/code_decoder.h"

namespace stint {

// The b-bit code of a weight of a strip.
inline int ReferenceCode(const StripCodes& codes, int64_t output,
                         int64_t input) {
  const int64_t word = input / kPlaneWordInputs;
  const int bit = PlaneBlockShape::bit(output, input);
  int code = 0;
  for (int p = 0; p < codes.bits; ++p) {
    code = 2 * code + static_cast<int>(codes.planes[p][word] >> bit & 1);
  }
  return code;
}

inline void ReferenceDecodeStrip(const StripCodes& codes, const StripWords& to,
                                 int32_t* sums) {
  for (int64_t i = 0; i < codes.words() * kPlaneWordInputs; ++i) {
    for (int64_t o = 0; o < kPlaneStripOutputs; ++o) {
      const int8_t value = i < codes.inputs
                               ? codes.values[ReferenceCode(codes, o, i)]
                               : int8_t{0};
      to.At(i / kPlaneWordInputs)[PlaneBlockShape::bit(o, i)] = value;
      sums[o] += value;
    }
  }
}

}  // namespace stint
