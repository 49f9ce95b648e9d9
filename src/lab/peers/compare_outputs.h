#pragma once
// Whether two runtimes computed the same.

#include <string>
#include <vector>

#include "stint/session.h"

namespace stint {

struct OutputDifference {
  double max_difference = 0;  // largest |a - b| of all elements
  // Largest ||a - b|| / ||b|| of all outputs (Euclidean norms).
  double relative_error = 0;
};

// `outputs` are matched with `reference` by name, or by place when the names
// are others. kMismatch when number or shapes differ, or a value is not finite
// where the reference is.
Result<OutputDifference> CompareOutputs(
    const std::vector<NamedValue>& outputs,
    const std::vector<NamedValue>& reference);

// The largest relative_error that counts as the same answer. fp32 leaves room
// for another order of sums; bf16 and int8 for the rounding of every layer. An
// unrelated answer has about 1.4, zeros have 1.
double AllowedError(const std::string& precision);

}  // namespace stint
