#pragma once
// Ranges of activations from a data set, for packages whose convolutions run in
// int8.

#include "stint/convert.h"
#include "weights/package/package.h"

namespace stint {

// Runs the package in float32 over the rows and gives its graph's values their
// ranges; the weights must be plain. kInvalidArgument when it has no
// convolutions.
Status MeasureRanges(const CalibrationData& data, int threads,
                     Package* package);

}  // namespace stint
