#include "kernels/simd/generic.h"

#include "kernels/conv_sparse_f32/loops_of.h"

namespace stint {

extern const SparseLoops kSparseLoopsGeneric;
const SparseLoops kSparseLoopsGeneric = {
    RunSparseSums<Generic, 8, 3, 1, 1>, RunSparseSplit<ScalarTurn<8>>,
    RunSparseFinish<Generic, ScalarTurn<8>>};

}  // namespace stint
