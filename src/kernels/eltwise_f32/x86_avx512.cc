#include "kernels/eltwise_f32/loops.h"
#include "kernels/simd/avx512.h"

namespace stint {

UnaryF32Fn UnaryF32Avx512(UnaryOp op) {
  return UnaryFor<EltwiseLoops<Avx512>::Unary>(op);
}
BinaryF32Fn BinaryF32Avx512(BinaryOp op) {
  return BinaryFor<EltwiseLoops<Avx512>::Binary>(op);
}

}  // namespace stint
