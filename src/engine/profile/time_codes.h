#pragma once
// Times products on coded weights on this machine.

#include <cstdint>
#include <functional>
#include <span>

#include "core/platform/cpu_info.h"
#include "engine/device/code_costs.h"

namespace stint {

class ThreadPool;

// Of a few matrices of encoders, each number of bits and up to 256 rows; the
// quicker quarter of several calls, each on other weights, which no cache has.
// Takes 6 to 9 s with AVX2 and better. `progress` is told the
// share that is done, [0, 1]; it may be empty.
Result<CodeCosts> TimeCodes(Isa isa, ThreadPool* pool,
                            const std::function<void(double done)>& progress);

// One of its matrices, at the given rows.
Result<CodeCosts::Matrix> TimeCodedMatrix(Isa isa, int64_t k, int64_t n,
                                          std::span<const int64_t> rows,
                                          ThreadPool* pool);

}  // namespace stint
