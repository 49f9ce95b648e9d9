#pragma once
// Measures how much the shards of an elastic file matter, on data.

#include <functional>
#include <string>

#include "stint/convert.h"

namespace stint {

// Adds importance to the file at `path`, by how much answers change; labels of
// the data are not used. A quarter of 32 rows or more is held back, to check
// plans on. A job that was killed goes on from `path`.importance.
// Returns the bytes of the file.
Result<int64_t> RankShards(
    const std::string& path, const CalibrationData& data, int threads,
    const std::function<void(int64_t done, int64_t total)>& progress);

}  // namespace stint
