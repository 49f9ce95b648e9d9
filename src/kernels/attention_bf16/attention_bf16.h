#pragma once
// Attention whose two products multiply bf16 by bf16 and sum in fp32; scores
// and their exponentials are fp32, weights of keys are rounded before they meet
// the values. Rows for the driver of kernels/attention_f32.

#include <cstdint>
#include <span>

#include "kernels/attention_f32/attention_f32_table.h"

namespace stint {

// Head sizes that the rows of the table can take.
inline constexpr int64_t kAttentionBf16LeastSize = 16;
inline constexpr int64_t kAttentionBf16MostSize = 128;
// Fewer keys fill too little of the tiles: fp32 is as fast
// (attention_bf16_bench on Sapphire Rapids: 0.6 times its speed with 16
// keys, 1.0 with 32, 1.4 with 64).
inline constexpr int64_t kAttentionBf16LeastKeys = 33;

std::span<const AttentionF32Kernel> AttentionBf16Table();

// The best row for heads of that size and so many keys on a machine of level
// `cap`, or null where fp32 is as fast: without tile registers, too.
const AttentionF32Kernel* PickAttentionBf16(Isa cap, int64_t head_size,
                                            int64_t keys);

}  // namespace stint
