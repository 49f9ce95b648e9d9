#include "weights/planes/decode_matrix.h"

#include "core/base/check.h"

namespace stint {

void DecodeBlock(const PlaneBlockView& view, float* to, int64_t stride) {
  const PlaneBlockShape& shape = view.shape;
  const int64_t words = shape.plane_words();
  for (int64_t i = 0; i < shape.outputs; ++i) {
    for (int64_t j = 0; j < shape.inputs; ++j) {
      const int64_t word = shape.word(i, j);
      const int bit = PlaneBlockShape::bit(i, j);
      unsigned code = 0;
      for (int p = 0; p < view.bits; ++p) {
        code = code << 1 | (view.planes[p * words + word] >> bit & 1);
      }
      to[i * stride + j] =
          view.scales[i] * static_cast<float>(view.values[code]);
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
