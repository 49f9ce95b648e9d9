#include "kernels/softmax_f32/softmax_f32_table.h"

#include "kernels/geometry/pick_best.h"
#include "kernels/softmax_f32/reference.h"

namespace stint {

void SoftmaxF32Avx512(const SoftmaxF32Args& args);
void SoftmaxF32Avx2(const SoftmaxF32Args& args);
void SoftmaxF32Neon(const SoftmaxF32Args& args);
void SoftmaxF32Generic(const SoftmaxF32Args& args);

namespace {

constexpr SoftmaxF32Kernel kTable[] = {
#if defined(__x86_64__)
    {"avx512", Isa::kAvx512, SoftmaxF32Avx512},
    {"avx2", Isa::kAvx2, SoftmaxF32Avx2},
#elif defined(__aarch64__)
    {"neon", Isa::kBaseline, SoftmaxF32Neon},
#endif
    {"generic", Isa::kBaseline, SoftmaxF32Generic},
    {"reference", Isa::kBaseline, ReferenceSoftmaxF32},
};

}  // namespace

std::span<const SoftmaxF32Kernel> SoftmaxF32Table() { return kTable; }

const SoftmaxF32Kernel& PickSoftmaxF32(Isa cap) {
  return PickBest(kTable, cap);
}

}  // namespace stint
