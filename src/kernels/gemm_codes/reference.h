#pragma once
// The loops every decoder is compared with, weight by weight.

#include "kernels/gemm_codes/outliers.h"

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

inline void ReferenceTransposeRows(const RowColumns& rows) {
  for (int64_t j = rows.begin; j < rows.end; ++j) {
    for (int64_t i = 0; i < rows.columns_pitch; ++i) {
      rows.columns[j * rows.columns_pitch + i] =
          i < rows.m ? rows.a[i * rows.lda + j] : uint8_t{0};
    }
  }
}

inline void ReferenceAddOutliers(const OutlierBlock& block) {
  for (int64_t o = 0; o < block.outputs; ++o) {
    const CodedOutliers& list = block.outliers;
    for (int64_t i = 0; i < block.rows; ++i) {
      const int zero = block.zero_a[i * block.row_step];
      float sum = 0;
      for (int32_t t = list.first[block.output + o];
           t < list.first[block.output + o + 1]; ++t) {
        const int x =
            block.columns[list.input[t] * block.columns_pitch + i] - zero;
        sum += static_cast<float>(x) * list.value[t];
      }
      float r = sum * block.scale_a[i * block.row_step];
      if (block.residual) r += block.residual[i * block.ldr + o];
      block.to[i * block.ldt + o] = r;
    }
  }
}

}  // namespace stint
