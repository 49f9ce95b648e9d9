#include "kernels/norm_f32/norm_f32_table.h"

#include "kernels/geometry/pick_best.h"
#include "kernels/norm_f32/reference.h"

namespace stint {

void LayerNormF32Avx512(const RowNormF32Args& args);
void LayerNormF32Avx2(const RowNormF32Args& args);
void LayerNormF32Neon(const RowNormF32Args& args);
void LayerNormF32Generic(const RowNormF32Args& args);
void RmsNormF32Avx512(const RowNormF32Args& args);
void RmsNormF32Avx2(const RowNormF32Args& args);
void RmsNormF32Neon(const RowNormF32Args& args);
void RmsNormF32Generic(const RowNormF32Args& args);
void ChannelNormF32Avx512(const ChannelNormF32Args& args);
void ChannelNormF32Avx2(const ChannelNormF32Args& args);
void ChannelNormF32Neon(const ChannelNormF32Args& args);
void ChannelNormF32Generic(const ChannelNormF32Args& args);

namespace {

constexpr NormF32Kernel kTable[] = {
#if defined(__x86_64__)
    {"avx512", Isa::kAvx512, LayerNormF32Avx512, RmsNormF32Avx512,
     ChannelNormF32Avx512},
    {"avx2", Isa::kAvx2, LayerNormF32Avx2, RmsNormF32Avx2, ChannelNormF32Avx2},
#elif defined(__aarch64__)
    {"neon", Isa::kBaseline, LayerNormF32Neon, RmsNormF32Neon,
     ChannelNormF32Neon},
#endif
    {"generic", Isa::kBaseline, LayerNormF32Generic, RmsNormF32Generic,
     ChannelNormF32Generic},
    {"reference", Isa::kBaseline, ReferenceLayerNormF32, ReferenceRmsNormF32,
     ReferenceChannelNormF32},
};

}  // namespace

std::span<const NormF32Kernel> NormF32Table() { return kTable; }

const NormF32Kernel& PickNormF32(Isa cap) { return PickBest(kTable, cap); }

}  // namespace stint
