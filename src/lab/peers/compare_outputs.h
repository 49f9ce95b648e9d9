#pragma once
// Whether two runtimes computed the same.

#include <span>
#include <string>
#include <vector>

#include "stint/session.h"

namespace stint {

// The worst of all outputs and, where an output has more than one axis, of all
// items along its first: an error in one of 64 pictures is not averaged away.
struct OutputDifference {
  double max_difference = 0;  // largest |a - b| of all elements
  // ||a - b|| / ||b|| of an item (Euclidean norms), where the root mean square
  // of b counts as at least ScaleFloor.
  double relative_error = 0;
  // Largest |a - b| / (|b| + that root mean square): finds a few wrong elements
  // among many.
  double element_error = 0;
};

// Below which the size of an item of `reference` does not matter, so that the
// relative error of what is next to nothing is not taken for a wrong answer: a
// thousandth of the root mean square over all items, or of 1 where all elements
// are probabilities (0 < b <= 1) that are not shares of a whole: these are
// computed to a rounding of 1, not of themselves. `row` elements lie along the
// last axis.
double ScaleFloor(std::span<const double> reference, size_t row);

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
