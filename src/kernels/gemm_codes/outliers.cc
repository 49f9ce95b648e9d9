#include "kernels/gemm_codes/outliers.h"

#include <algorithm>

#include "core/base/checked_math.h"

namespace stint {

void FindUsedInputs(std::span<const CodedOutlier> outliers, int64_t k,
                    const UsedInputs& inputs) {
  const int64_t words = CeilDiv(k, 64);
  std::fill_n(inputs.used, words, 0);
  for (const CodedOutlier& outlier : outliers) {
    inputs.used[outlier.input / 64] |= 1ull << outlier.input % 64;
  }
  int32_t count = 0;
  for (int64_t w = 0; w < words; ++w) {
    inputs.rank[w] = count;
    count += __builtin_popcountll(inputs.used[w]);
  }
}

void AddOutliersByRow(const OutlierBlock& block) {
  for (int64_t i = 0; i < block.rows; ++i) {
    const uint8_t* row = block.a + i * block.lda;
    const float zero = block.zeros[i];
    const float scale = block.scales[i];
    float* to = block.to + i * block.ldt;
    if (block.residual) {
      std::copy_n(block.residual + i * block.ldr, block.outputs, to);
    } else {
      std::fill_n(to, block.outputs, 0.0f);
    }
    for (const CodedOutlier& outlier : block.outliers) {
      const float x = static_cast<float>(row[outlier.input]) - zero;
      to[outlier.output - block.output] += x * outlier.value * scale;
    }
  }
}

OutlierCursor::OutlierCursor(std::span<const CodedOutlier> outliers,
                             int64_t first)
    : left_(std::lower_bound(outliers.begin(), outliers.end(), first,
                             [](const CodedOutlier& outlier, int64_t output) {
                               return outlier.output < output;
                             }),
            outliers.end()) {}

std::span<const CodedOutlier> OutlierCursor::Until(int64_t end) {
  size_t count = 0;
  while (count < left_.size() && left_[count].output < end) ++count;
  const auto found = left_.first(count);
  left_ = left_.subspan(count);
  return found;
}

}  // namespace stint
