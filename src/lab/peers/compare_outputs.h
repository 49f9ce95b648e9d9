#pragma once
// Whether two runtimes computed the same.

#include <string>
#include <vector>

#include "stint/session.h"

namespace stint {

// The worst of all outputs and, where an output has more than one axis, of all
// items along its first: an error in one of 64 pictures is not averaged away.
struct OutputDifference {
  double max_difference = 0;  // largest |a - b| of all elements
  // ||a - b|| / ||b|| of an item (Euclidean norms).
  double relative_error = 0;
  // Largest |a - b| / (|b| + root mean square of b in the item): finds a few
  // wrong elements among many.
  double element_error = 0;
};

// `outputs` are matched with `reference` by name, or by place when the names
// are others. kMismatch when number or shapes differ, or a value is not finite
// where the reference is.
Result<OutputDifference> CompareOutputs(
    const std::vector<NamedValue>& outputs,
    const std::vector<NamedValue>& reference);

struct AllowedDifference {
  double relative_error;
  double element_error;
};

// What counts as the same answer. fp32 leaves room for another order of sums;
// bf16 and int8 for the rounding of every layer. An unrelated answer has a
// relative error of about 1.4, zeros have 1.
AllowedDifference AllowedFor(const std::string& precision);

// kMismatch, with what was found and what is allowed.
Status CheckDifference(const OutputDifference& found,
                       const std::string& precision);

}  // namespace stint
