#pragma once
// y = e^(x - max) / sum, or its logarithm, along one axis of [outer, n, inner].
// The maximum is subtracted first, so no exponential overflows. In place is
// allowed.

#include <cstdint>

#include "kernels/softmax_f32/softmax_f32_table.h"

namespace stint {

class ThreadPool;

void SoftmaxF32(const SoftmaxF32Kernel& kernel, const SoftmaxF32Args& args,
                ThreadPool* pool);

}  // namespace stint
