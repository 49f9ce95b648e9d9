#pragma once
// The log of a power meter outside of the machine, as CSV.

#include <string>
#include <string_view>
#include <vector>

#include "core/meter/energy/energy_reading.h"
#include "stint/status.h"

namespace stint {

// Samples in the order of time; seconds since 1970 (UTC).
struct PowerLog {
  std::vector<double> seconds;
  std::vector<double> watts;
};

// CSV with a header that names a column `time_s` (seconds since 1970, with a
// fraction) and one of `watts` or `joules` (a growing total, turned into the
// power between samples). Other columns are ignored. Times must grow. Errors
// name the line. The last line may be incomplete: the log is still growing.
Result<PowerLog> ParsePowerLog(std::string_view text);

// Energy between two moments, linear between samples. kNotFound when the log
// does not reach from `begin` to `end`.
Result<EnergyReading> EnergyBetween(const PowerLog& log, double begin,
                                    double end);

}  // namespace stint
