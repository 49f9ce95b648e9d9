#include "kernels/gemm_f32/gemm_f32_table.h"

#include "kernels/gemm_f32/reference.h"
#include "kernels/geometry/pick_best.h"

namespace stint {

void GemmF32Avx512(const GemmF32Block& block);
void GemmF32Avx2(const GemmF32Block& block);
void GemmF32Neon(const GemmF32Block& block);
void GemmF32Generic(const GemmF32Block& block);

namespace {

constexpr GemmF32Kernel kTable[] = {
#if defined(__x86_64__)
    {"avx512_8x48", Isa::kAvx512, 8, 48, GemmF32Avx512},
    {"avx2_6x16", Isa::kAvx2, 6, 16, GemmF32Avx2},
#elif defined(__aarch64__)
    {"neon_8x12", Isa::kBaseline, 8, 12, GemmF32Neon},
#endif
    {"generic_6x8", Isa::kBaseline, 6, 8, GemmF32Generic},
    {"reference", Isa::kBaseline, 1, 8, ReferenceGemmF32},
};

}  // namespace

std::span<const GemmF32Kernel> GemmF32Table() { return kTable; }

const GemmF32Kernel& PickGemmF32(Isa cap) { return PickBest(kTable, cap); }

}  // namespace stint
