#include "kernels/gemm_codes/outliers.h"

namespace stint {

void AddOutliersByRow(const OutlierBlock& block, const uint8_t* a,
                      int64_t lda) {
  const int32_t* first = block.outliers.first + block.output;
  for (int64_t i = 0; i < block.rows; ++i) {
    const uint8_t* row = a + i * lda;
    const int zero = block.zero_a[i * block.row_step];
    const float scale = block.scale_a[i * block.row_step];
    float* to = block.to + i * block.ldt;
    int32_t t = first[0];
    for (int64_t o = 0; o < block.outputs; ++o) {
      float sum = 0;
      for (; t < first[o + 1]; ++t) {
        const int x = row[block.outliers.input[t]] - zero;
        sum += static_cast<float>(x) * block.outliers.value[t];
      }
      to[o] = sum * scale;
      if (block.residual) to[o] += block.residual[i * block.ldr + o];
    }
  }
}

}  // namespace stint
