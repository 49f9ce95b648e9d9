#pragma once
// How much memory a graph takes.

#include <cstdint>
#include <span>

#include "model/graph/graph.h"

namespace stint {

// Values, nodes and names, subgraphs included; what parameters of operators
// refer to is left out, and so are the elements of constants.
int64_t HeapBytes(const Graph& graph);

// Elements of constants that lie outside of `file`.
int64_t ConstantBytes(const Graph& graph, std::span<const uint8_t> file);

}  // namespace stint
