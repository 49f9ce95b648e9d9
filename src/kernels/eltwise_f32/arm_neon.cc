#include "kernels/eltwise_f32/loops.h"
#include "kernels/simd/neon.h"

namespace stint {

UnaryF32Fn UnaryF32Neon(UnaryOp op) {
  return UnaryFor<EltwiseLoops<Neon>::Unary>(op);
}
BinaryF32Fn BinaryF32Neon(BinaryOp op) {
  return BinaryFor<EltwiseLoops<Neon>::Binary>(op);
}

}  // namespace stint
