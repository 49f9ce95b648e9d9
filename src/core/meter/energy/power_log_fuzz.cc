// Any text is a log or an error, and what a log says of its own time is finite.
#include <cmath>
#include <cstdint>
#include <string_view>

#include "core/base/check.h"
#include "core/meter/energy/power_log.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto log = stint::ParsePowerLog(
      std::string_view(reinterpret_cast<const char*>(data), size));
  if (!log.ok()) return 0;
  STINT_CHECK(log->seconds.size() == log->watts.size());
  if (log->seconds.empty()) return 0;
  const auto energy =
      stint::EnergyBetween(*log, log->seconds.front(), log->seconds.back());
  STINT_CHECK(energy.ok());
  return 0;
}
