#pragma once
// Compares the outputs of a run with expected ones.

#include "stint/tensor.h"

namespace stint {

struct Tolerance {
  double relative = 1e-3;
  double absolute = 1e-7;
};

// The largest absolute difference (0 for equal). Floats agree when
// |a - b| <= absolute + relative * |expected|, NaN agrees with NaN; everything
// else must be equal. A disagreement is kMismatch and says where.
Result<double> CompareValues(const Value& found, const Value& expected,
                             const Tolerance& tolerance);

}  // namespace stint
