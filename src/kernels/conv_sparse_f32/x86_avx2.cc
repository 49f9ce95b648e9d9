#include "kernels/conv_sparse_f32/loops_of.h"
#include "kernels/simd/avx2.h"

namespace stint {
namespace {

struct Turn8 {
  static constexpr int kBlock = 8;

  static STINT_INLINE void Turn(const float* from, int64_t pitch, float* to,
                                int64_t to_pitch) {
    __m256 a[8], b[8];
    for (int i = 0; i < 8; ++i) a[i] = _mm256_loadu_ps(from + i * pitch);
    for (int i = 0; i < 8; i += 2) {
      b[i] = _mm256_unpacklo_ps(a[i], a[i + 1]);
      b[i + 1] = _mm256_unpackhi_ps(a[i], a[i + 1]);
    }
    for (int i = 0; i < 8; i += 4) {
      for (int k = 0; k < 2; ++k) {
        a[i + 2 * k] = _mm256_shuffle_ps(b[i + k], b[i + k + 2], 0x44);
        a[i + 2 * k + 1] = _mm256_shuffle_ps(b[i + k], b[i + k + 2], 0xee);
      }
    }
    for (int k = 0; k < 4; ++k) {
      _mm256_storeu_ps(to + k * to_pitch,
                       _mm256_permute2f128_ps(a[k], a[k + 4], 0x20));
      _mm256_storeu_ps(to + (k + 4) * to_pitch,
                       _mm256_permute2f128_ps(a[k], a[k + 4], 0x31));
    }
  }
};

}  // namespace

// 12 sums of 16 registers.
extern const SparseLoops kSparseLoopsAvx2;
const SparseLoops kSparseLoopsAvx2 = {RunSparseSums<Avx2, 8, 3, 1, 1>,
                                      RunSparseSplit<Turn8>,
                                      RunSparseFinish<Avx2, Turn8>};

}  // namespace stint
