#include "kernels/eltwise_f32/loops.h"
#include "kernels/simd/avx2.h"

namespace stint {

UnaryF32Fn UnaryF32Avx2(UnaryOp op) {
  return UnaryFor<EltwiseLoops<Avx2>::Unary>(op);
}
BinaryF32Fn BinaryF32Avx2(BinaryOp op) {
  return BinaryFor<EltwiseLoops<Avx2>::Binary>(op);
}

}  // namespace stint
