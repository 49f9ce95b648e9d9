#pragma once
// What the weights of a model take in memory, whatever kernels make of them.

#include <cstdint>

#include "weights/package/package.h"

namespace stint {

// Numbers in constants of two dimensions and more.
int64_t CountWeights(const Graph& graph);

// The least that weights take.
int64_t WeightBytes(const Package& package);

}  // namespace stint
