#pragma once
// What sparse kernels take on a layer by how many of their entries are not 0:
// measured at two shares, and a line through them.

#include <optional>
#include <string>
#include <vector>

#include "engine/device/conv_costs.h"
#include "kernels/conv_sparse_f32/sparse_plan.h"

namespace stint {

// Of entries, in percent: where they are measured.
inline constexpr int kSparseShares[] = {10, 40};

// Entries of `rows` outputs, gathered in one way.
struct SparseForm {
  int rows = 1;
  SparseGather gather = SparseGather::kImage;
};

// "sparse_im2col4@10": entries of 4 outputs, one in ten not 0.
std::string SparseCostName(const SparseForm& form, int percent);

// Microseconds with this share (0 to 1) of the entries not 0; nothing when that
// was not measured.
std::optional<double> PredictSparse(const std::vector<PrimitiveCost>& costs,
                                    const SparseForm& form, double share);

// The fastest way to gather entries of `rows` outputs; nothing when none was
// measured.
struct SparseTime {
  SparseGather gather = SparseGather::kImage;
  double us = 0;
};
std::optional<SparseTime> FastestSparse(const std::vector<PrimitiveCost>& costs,
                                        int rows, double share);

// The fastest that is not sparse; nothing when there is none.
std::optional<PrimitiveCost> FastestDense(
    const std::vector<PrimitiveCost>& costs);

// The share of zeros from which on entries of `rows` outputs are faster than
// the fastest dense primitive: 0 always, 1 never; and gathered how they are so
// first. Nothing when that was not measured.
struct BreakEven {
  double zeros = 1;
  SparseGather gather = SparseGather::kImage;
};
std::optional<BreakEven> SparseBreakEven(
    const std::vector<PrimitiveCost>& costs, int rows);

}  // namespace stint
