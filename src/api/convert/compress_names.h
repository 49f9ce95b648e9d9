#pragma once
// Names of ways to compress.

#include <string>

#include "engine/calibrate/histogram.h"
#include "stint/status.h"

namespace stint {

// kInvalidArgument lists the names there are.
Result<RangeObserver> FindObserver(const std::string& name);

}  // namespace stint
