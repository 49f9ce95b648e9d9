#pragma once
// Functions of one element as tables from bytes to bytes.

#include <vector>

#include "engine/lower/activation_ranges.h"

namespace stint {

// The op's first output depends element by element on its first input.
bool IsElementwise(const Op& op);

// table[q] is the byte of op(value of q), [256] in u8. `constants` are the op's
// other inputs by place; null at the first and where left out.
Result<Tensor> ByteTable(const Op& op,
                         const std::vector<const Tensor*>& constants,
                         const ByteCode& from, const ByteCode& to);

}  // namespace stint
