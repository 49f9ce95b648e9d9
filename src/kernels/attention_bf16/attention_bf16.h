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

std::span<const AttentionF32Kernel> AttentionBf16Table();

// The best row for heads of that size on a machine of level `cap`, or null:
// without tile registers fp32 is as fast.
const AttentionF32Kernel* PickAttentionBf16(Isa cap, int64_t head_size);

}  // namespace stint
