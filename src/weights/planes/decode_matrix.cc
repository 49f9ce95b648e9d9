#include "weights/planes/decode_matrix.h"

#include <algorithm>
#include <iterator>

#include "core/base/check.h"

namespace stint {

namespace {

// Codes of a word's weights.
void GatherCodes(const PlaneBlockView& view, int64_t word,
                 uint8_t (&codes)[kPlaneWordWeights]) {
  const int64_t words = view.shape.plane_words();
  std::fill(std::begin(codes), std::end(codes), uint8_t{0});
  for (int p = 0; p < view.bits; ++p) {
    const uint64_t bits = view.planes[p * words + word];
    for (int i = 0; i < kPlaneWordWeights; ++i) {
      codes[i] = static_cast<uint8_t>(codes[i] << 1 | (bits >> i & 1));
    }
  }
}

}  // namespace

void DecodeBlock(const PlaneBlockView& view, float* to, int64_t stride) {
  const PlaneBlockShape& shape = view.shape;
  for (int64_t i0 = 0; i0 < shape.outputs; i0 += kPlaneStripOutputs) {
    const int64_t rows = std::min(kPlaneStripOutputs, shape.outputs - i0);
    for (int64_t j0 = 0; j0 < shape.inputs; j0 += kPlaneWordInputs) {
      uint8_t codes[kPlaneWordWeights];
      GatherCodes(view, shape.word(i0, j0), codes);
      const int64_t columns = std::min(kPlaneWordInputs, shape.inputs - j0);
      for (int64_t i = 0; i < rows; ++i) {
        for (int64_t j = 0; j < columns; ++j) {
          const int8_t value = view.values[codes[PlaneBlockShape::bit(i, j)]];
          to[(i0 + i) * stride + j0 + j] =
              view.scales[i0 + i] * static_cast<float>(value);
        }
      }
    }
  }
  for (const PlaneOutlier& outlier : view.outliers) {
    to[outlier.output * stride + outlier.input] = outlier.value;
  }
}

void DecodeMatrix(const PlaneMatrix& matrix, int bits, float* to) {
  STINT_CHECK(bits >= kPlaneMinBits && bits <= matrix.bits);
  for (const PlaneBlock& block : matrix.blocks) {
    const PlaneBlockView view{block.shape,
                              block.planes.data(),
                              block.values.data() + PlaneDictionaryOffset(bits),
                              bits,
                              matrix.scales.data() + block.output,
                              block.outliers};
    DecodeBlock(view, to + block.output * matrix.inputs + block.input,
                matrix.inputs);
  }
}

}  // namespace stint
