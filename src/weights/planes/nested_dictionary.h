#pragma once
// Dictionaries of 2 to 8 bits whose codes are prefixes of each other, fitted to
// a histogram of weights.

#include <array>
#include <cstdint>
#include <vector>

#include "weights/planes/plane_matrix.h"
#include "weights/planes/weight_histogram.h"

namespace stint {

struct NestedDictionary {
  PlaneDictionaries values{};
  // The 8-bit code of every bin of the histogram.
  std::array<uint8_t, WeightHistogram::kBins> codes{};
};

// Grown from the best 4 cells: each level cuts every cell in two where the
// squared error with int8 values is least. The last three levels of a cell are
// cut together, so that at 8 bits cells follow the int8 grid.
NestedDictionary FitNestedDictionary(const WeightHistogram& histogram);

// Edges of the `cells` cells with the least squared error (Lloyd's algorithm),
// from 0 to WeightHistogram::kBins.
std::vector<int> FitCells(const WeightHistogram& histogram, int cells);

}  // namespace stint
