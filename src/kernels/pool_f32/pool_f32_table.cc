#include "kernels/pool_f32/pool_f32_table.h"

#include "kernels/geometry/pick_best.h"
#include "kernels/pool_f32/reference.h"

namespace stint {

void MaxPoolF32Avx512(const PoolPlane& pool);
void MaxPoolF32Avx2(const PoolPlane& pool);
void MaxPoolF32Neon(const PoolPlane& pool);
void MaxPoolF32Generic(const PoolPlane& pool);
void AveragePoolF32Avx512(const PoolPlane& pool);
void AveragePoolF32Avx2(const PoolPlane& pool);
void AveragePoolF32Neon(const PoolPlane& pool);
void AveragePoolF32Generic(const PoolPlane& pool);
float SumF32Avx512(const float* x, int64_t n);
float SumF32Avx2(const float* x, int64_t n);
float SumF32Neon(const float* x, int64_t n);
float SumF32Generic(const float* x, int64_t n);

namespace {

constexpr PoolF32Kernel kTable[] = {
#if defined(__x86_64__)
    {"avx512", Isa::kAvx512, MaxPoolF32Avx512, AveragePoolF32Avx512,
     SumF32Avx512},
    {"avx2", Isa::kAvx2, MaxPoolF32Avx2, AveragePoolF32Avx2, SumF32Avx2},
#elif defined(__aarch64__)
    {"neon", Isa::kBaseline, MaxPoolF32Neon, AveragePoolF32Neon, SumF32Neon},
#endif
    {"generic", Isa::kBaseline, MaxPoolF32Generic, AveragePoolF32Generic,
     SumF32Generic},
    {"reference", Isa::kBaseline, ReferenceMaxPlane, ReferenceAveragePlane,
     ReferenceSum},
};

}  // namespace

std::span<const PoolF32Kernel> PoolF32Table() { return kTable; }

const PoolF32Kernel& PickPoolF32(Isa cap) { return PickBest(kTable, cap); }

}  // namespace stint
