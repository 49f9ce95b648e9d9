#pragma once
// What sparse kernels take on a layer by how many of their entries are not 0:
// measured at two shares, and a line through them.

#include <optional>
#include <string>
#include <vector>

#include "engine/device/conv_costs.h"

namespace stint {

// Of entries, in percent: where they are measured.
inline constexpr int kSparseShares[] = {10, 40};

// "sparse4@10": entries of 4 outputs, one in ten not 0.
std::string SparseCostName(int rows, int percent);

// Microseconds with this share (0 to 1) of the entries of `rows` outputs not 0;
// nothing when that was not measured.
std::optional<double> PredictSparse(const std::vector<PrimitiveCost>& costs,
                                    int rows, double share);

// The fastest that is not sparse; nothing when there is none.
std::optional<PrimitiveCost> FastestDense(
    const std::vector<PrimitiveCost>& costs);

// The share of zeros from which on entries of `rows` outputs are faster than
// the fastest dense primitive: 0 always, 1 never; nothing when that was not
// measured.
std::optional<double> SparseBreakEven(const std::vector<PrimitiveCost>& costs,
                                      int rows);

}  // namespace stint
