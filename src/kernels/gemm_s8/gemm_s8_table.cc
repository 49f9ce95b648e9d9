#include "kernels/gemm_s8/gemm_s8_table.h"

#include "kernels/gemm_s8/reference.h"
#include "kernels/geometry/pick_best.h"

namespace stint {

void GemmS8Amx(const GemmS8Block& block);
void ReleaseGemmS8Amx(GemmS8Tiles* tiles);
void GemmS8Vnni(const GemmS8Block& block);
void GemmS8Avx2(const GemmS8Block& block);
void GemmS8Dot(const GemmS8Block& block);
void QuantizeRowsDot(const QuantizeRowsArgs& args);
void GemmS8Generic(const GemmS8Block& block);
void QuantizeRowsVnni(const QuantizeRowsArgs& args);
void QuantizeRowsAvx2(const QuantizeRowsArgs& args);
void QuantizeRowsGeneric(const QuantizeRowsArgs& args);

namespace {

constexpr GemmS8Kernel kTable[] = {
#if defined(__x86_64__)
    {"amx_32x32", Isa::kAmx, 32, 32, GemmS8Amx, QuantizeRowsVnni, 64, 16, true,
     ReleaseGemmS8Amx},
    {"vnni_8x48", Isa::kVnni, 8, 48, GemmS8Vnni, QuantizeRowsVnni},
    {"avx2_4x16", Isa::kAvx2, 4, 16, GemmS8Avx2, QuantizeRowsAvx2},
#elif defined(__aarch64__)
    {"dot_8x12", Isa::kVnni, 8, 12, GemmS8Dot, QuantizeRowsDot},
#endif
    {"generic_4x8", Isa::kBaseline, 4, 8, GemmS8Generic, QuantizeRowsGeneric},
    {"reference", Isa::kBaseline, 1, kReferenceS8Columns, ReferenceGemmS8,
     ReferenceQuantizeRows},
};

}  // namespace

std::span<const GemmS8Kernel> GemmS8Table() { return kTable; }

const GemmS8Kernel& PickGemmS8(Isa cap) { return PickBest(kTable, cap); }

}  // namespace stint
