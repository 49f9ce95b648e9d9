#pragma once
// The section of ranges: what calibration measured of the graph's values.

#include <cstdint>
#include <span>
#include <string>

#include "model/graph/graph.h"

namespace stint::store {

// Values are numbered as EncodeGraph does it. Empty when none has a range.
std::string EncodeRanges(const Graph& graph);

// Gives the graph's values their ranges. kDamaged for a number that is no value
// of the graph or does not rise, and for a range without 0.
Status DecodeRanges(std::span<const uint8_t> bytes, Graph* graph);

}  // namespace stint::store
