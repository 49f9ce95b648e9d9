#include "kernels/attention_f32/attention_f32_table.h"

#include "kernels/attention_f32/reference.h"
#include "kernels/geometry/pick_best.h"

namespace stint {

void PackAttentionF32Avx512(const AttentionF32Head& head);
void AttentionF32Avx512(const AttentionF32Rows& rows);
void PackAttentionF32Avx2(const AttentionF32Head& head);
void AttentionF32Avx2(const AttentionF32Rows& rows);
void PackAttentionF32Neon(const AttentionF32Head& head);
void PackAttentionF32Generic(const AttentionF32Head& head);
void AttentionF32Neon(const AttentionF32Rows& rows);
void AttentionF32Generic(const AttentionF32Rows& rows);

namespace {

constexpr AttentionF32Kernel kTable[] = {
#if defined(__x86_64__)
    {"avx512_8x48", Isa::kAvx512, 8, 48, PackAttentionF32Avx512,
     AttentionF32Avx512},
    {"avx2_6x16", Isa::kAvx2, 6, 16, PackAttentionF32Avx2, AttentionF32Avx2},
#elif defined(__aarch64__)
    {"neon_8x8", Isa::kBaseline, 8, 8, PackAttentionF32Neon, AttentionF32Neon},
#endif
    {"generic_6x8", Isa::kBaseline, 6, 8, PackAttentionF32Generic,
     AttentionF32Generic},
    {"reference", Isa::kBaseline, 1, 1, ReferencePackAttentionF32,
     ReferenceAttentionF32},
};

}  // namespace

std::span<const AttentionF32Kernel> AttentionF32Table() { return kTable; }

const AttentionF32Kernel& PickAttentionF32(Isa cap) {
  return PickBest(kTable, cap);
}

}  // namespace stint
