#pragma once
// Cuts a cell into eight in three nested levels.

#include <array>

#include "weights/planes/weight_histogram.h"

namespace stint {

// Edges of the eight cells, from `begin` to `end`: those at multiples of 4 and
// of 2 are the two and the four cells of the levels before. Exact over edges of
// half a grid unit; all three levels count, each about as much as its error
// usually is.
std::array<int, 9> CutCell(const WeightHistogram& histogram, int begin,
                           int end);

}  // namespace stint
