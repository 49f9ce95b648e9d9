#pragma once
// Measures what the layers of an elastic file take on this machine, for the
// sessions of other processes and of other machines of its kind.

#include <functional>
#include <string>

#include "stint/convert.h"

namespace stint {

// Writes to `to` the elastic file at `from`, which may be the same, with the
// times of one text at lengths up to what the model takes, or of its inputs
// where they have one shape. Times of other kinds of machines stay.
Result<ProfileReport> ProfileLayers(
    const std::string& from, const std::string& to, int threads,
    const std::function<void(int64_t done, int64_t total)>& progress);

}  // namespace stint
