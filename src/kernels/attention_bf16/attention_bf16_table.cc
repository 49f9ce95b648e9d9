#include "kernels/attention_bf16/attention_bf16.h"
#include "kernels/attention_bf16/tile_sizes.h"

namespace stint {

void PackAttentionBf16Amx(const AttentionF32Head& head);
void PackKeysAttentionBf16Amx(const AttentionF32Head& head, int64_t begin,
                              int64_t end);
void AttentionBf16Amx(const AttentionF32Rows& rows);
void PackAttentionBf16Dot(const AttentionF32Head& head);
void PackKeysAttentionBf16Dot(const AttentionF32Head& head, int64_t begin,
                              int64_t end);
void AttentionBf16Dot(const AttentionF32Rows& rows);

namespace {

#if defined(__x86_64__)
constexpr AttentionF32Kernel kTable[] = {
    {"amx_32x32", Isa::kAmx, kAttentionTileRows, kAttentionTileKeys,
     PackAttentionBf16Amx, AttentionBf16Amx, kAttentionTileKeys,
     PackKeysAttentionBf16Amx},
    {"dot_32x32", Isa::kBf16, kAttentionTileRows, kAttentionTileKeys,
     PackAttentionBf16Dot, AttentionBf16Dot, kAttentionTileKeys,
     PackKeysAttentionBf16Dot},
};
#endif

}  // namespace

std::span<const AttentionF32Kernel> AttentionBf16Table() {
#if defined(__x86_64__)
  return kTable;
#else
  return {};
#endif
}

const AttentionF32Kernel* PickAttentionBf16(Isa cap, int64_t head_size,
                                            int64_t keys) {
  if (keys < kAttentionBf16LeastKeys || head_size < kAttentionBf16LeastSize ||
      head_size > kAttentionBf16MostSize) {
    return nullptr;
  }
  for (const AttentionF32Kernel& kernel : AttentionBf16Table()) {
    if (kernel.isa <= cap) return &kernel;
  }
  return nullptr;
}

}  // namespace stint
