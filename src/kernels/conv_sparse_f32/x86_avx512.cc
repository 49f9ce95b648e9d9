#include "kernels/conv_sparse_f32/loops_of.h"
#include "kernels/simd/turn16.h"

namespace stint {
// 24 sums leave registers for a weight and a row of pixels.
extern const SparseLoops kSparseLoopsAvx512;
const SparseLoops kSparseLoopsAvx512 = {RunSparseSums<Avx512, 8, 6, 3, 1>,
                                        RunSparseSplit<Turn16>,
                                        RunSparseFinish<Avx512, Turn16>};

}  // namespace stint
