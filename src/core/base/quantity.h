#pragma once
// Quantities as people write them: "16MB", "20ms", "3J".

#include <cstdint>
#include <string>
#include <string_view>

#include "stint/status.h"

namespace stint {

// "512", "4KB", "16MB", "1.5GB" (powers of 1000), "8MiB" (of 1024).
Result<int64_t> ParseBytes(std::string_view text);
// "250us", "20ms", "1.5s", "10m".
Result<int64_t> ParseDurationNs(std::string_view text);
// "3J", "250mJ".
Result<double> ParseJoules(std::string_view text);

// "12.3 ms", "90.9 MB" for people.
std::string FormatMs(double ms);
std::string FormatBytes(int64_t bytes);

}  // namespace stint
