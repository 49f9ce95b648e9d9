#include "kernels/gemm_bf16/gemm_bf16_table.h"

#include "kernels/gemm_bf16/pack_pairs.h"
#include "kernels/gemm_bf16/pack_tiles.h"
#include "kernels/gemm_bf16/reference.h"
#include "kernels/geometry/pick_best.h"

namespace stint {

void GemmBf16Amx(const GemmBf16Block& block);
void PackGemmBf16Amx(const GemmBf16Rows& rows, uint16_t* tiles);
void ReleaseGemmBf16Amx(GemmBf16Tiles* tiles);
void GemmBf16Dot(const GemmBf16Block& block);
void PackGemmBf16Dot(const GemmBf16Rows& rows, uint16_t* tiles);
void ReleaseGemmBf16Dot(GemmBf16Tiles* tiles);
void GemmBf16Avx512(const GemmBf16Block& block);
void GemmBf16Avx2(const GemmBf16Block& block);
void GemmBf16Neon(const GemmBf16Block& block);
void GemmBf16Generic(const GemmBf16Block& block);

namespace {

constexpr GemmBf16Kernel kTable[] = {
#if defined(__x86_64__)
    {"amx_32x32", Isa::kAmx, 32, kBf16TileColumns, kBf16TileK, PackBf16Tiles,
     GemmBf16Amx, PackGemmBf16Amx, ReleaseGemmBf16Amx},
    {"dot_32x32", Isa::kBf16, 32, kBf16TileColumns, kBf16TileK, PackBf16Tiles,
     GemmBf16Dot, PackGemmBf16Dot, ReleaseGemmBf16Dot},
    {"avx512_8x48", Isa::kAvx512, 8, 48, 2, PackPairs<48>, GemmBf16Avx512},
    {"avx2_6x16", Isa::kAvx2, 6, 16, 2, PackPairs<16>, GemmBf16Avx2},
#elif defined(__aarch64__)
    {"neon_8x12", Isa::kBaseline, 8, 12, 2, PackPairs<12>, GemmBf16Neon},
#endif
    {"generic_6x8", Isa::kBaseline, 6, 8, 2, PackPairs<8>, GemmBf16Generic},
    {"reference", Isa::kBaseline, 1, kReferenceBf16Columns, 2,
     PackPairs<kReferenceBf16Columns>, ReferenceGemmBf16},
};

}  // namespace

std::span<const GemmBf16Kernel> GemmBf16Table() { return kTable; }

const GemmBf16Kernel& PickGemmBf16(Isa cap) { return PickBest(kTable, cap); }

}  // namespace stint
