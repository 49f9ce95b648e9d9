#include "kernels/simd/generic.h"

#include "kernels/eltwise_f32/loops.h"

namespace stint {

UnaryF32Fn UnaryF32Generic(UnaryOp op) {
  return UnaryFor<EltwiseLoops<Generic>::Unary>(op);
}
BinaryF32Fn BinaryF32Generic(BinaryOp op) {
  return BinaryFor<EltwiseLoops<Generic>::Binary>(op);
}

}  // namespace stint
