#include "kernels/eltwise_f32/eltwise_f32_table.h"

#include "kernels/eltwise_f32/reference.h"
#include "kernels/geometry/pick_best.h"

namespace stint {

UnaryF32Fn UnaryF32Avx512(UnaryOp op);
UnaryF32Fn UnaryF32Avx2(UnaryOp op);
UnaryF32Fn UnaryF32Neon(UnaryOp op);
UnaryF32Fn UnaryF32Generic(UnaryOp op);
BinaryF32Fn BinaryF32Avx512(BinaryOp op);
BinaryF32Fn BinaryF32Avx2(BinaryOp op);
BinaryF32Fn BinaryF32Neon(BinaryOp op);
BinaryF32Fn BinaryF32Generic(BinaryOp op);

namespace {

constexpr EltwiseF32Kernel kTable[] = {
#if defined(__x86_64__)
    {"avx512", Isa::kAvx512, UnaryF32Avx512, BinaryF32Avx512},
    {"avx2", Isa::kAvx2, UnaryF32Avx2, BinaryF32Avx2},
#elif defined(__aarch64__)
    {"neon", Isa::kBaseline, UnaryF32Neon, BinaryF32Neon},
#endif
    {"generic", Isa::kBaseline, UnaryF32Generic, BinaryF32Generic},
    {"reference", Isa::kBaseline, ReferenceUnaryF32, ReferenceBinaryF32},
};

}  // namespace

std::span<const EltwiseF32Kernel> EltwiseF32Table() { return kTable; }

const EltwiseF32Kernel& PickEltwiseF32(Isa cap) {
  return PickBest(kTable, cap);
}

}  // namespace stint
