#include "core/meter/energy/energy_probe.h"

#include <algorithm>
#include <cstdio>

#include "core/meter/energy/battery_source.h"
#include "core/meter/energy/energy_block.h"
#include "core/meter/energy/hwmon_source.h"
#include "core/meter/energy/nvml_source.h"
#include "core/meter/energy/rapl_source.h"
#include "core/platform/file.h"

namespace stint {
namespace {

constexpr double kLeastWatts = 0.2;
// Other programs may be busy while we idle: one of some attempts must show it.
constexpr int kAttempts = 3;

std::string Watts(double watts) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.3g W", watts);
  return text;
}

Result<EnergyReading> Over(FunctionRef<void()> work, EnergySource* source) {
  STINT_ASSIGN_OR_RETURN(EnergyBlock block, EnergyBlock::Start(source));
  work();
  return block.Stop();
}

// Once; false when busy was not above idle.
Result<bool> RisesUnderLoad(const ProbeLoad& load, EnergySource* source) {
  STINT_ASSIGN_OR_RETURN(const EnergyReading idle, Over(load.idle, source));
  STINT_ASSIGN_OR_RETURN(const EnergyReading busy, Over(load.busy, source));
  if (busy.joules == 0 && idle.joules == 0) {
    return Unsupported(source->name() + " stays at 0 under load");
  }
  const double watts = std::max(busy.watts(), idle.watts());
  if (busy.watts() < kLeastWatts || watts > source->most_watts()) {
    return Unsupported(source->name() + " shows " + Watts(busy.watts()) +
                       " under load and " + Watts(idle.watts()) +
                       " idle, expected " + Watts(kLeastWatts) + " to " +
                       Watts(source->most_watts()));
  }
  return busy.watts() > idle.watts();
}

FoundEnergySource FindCards(const EnergyPlaces& places) {
  if (places.nvml.empty()) return NotFound("no NVML");
  const auto calls = LoadNvml(places.nvml);
  if (calls.ok()) return FindNvml(*calls);
  if (calls.status().code() != StatusCode::kUnsupported ||
      places.nvidia_smi.empty()) {
    return NotFound("no " + places.nvml);
  }
  return FindNvidiaSmi(places.nvidia_smi);
}

}  // namespace

EnergyPlaces EnergyPlaces::Below(const std::string& root) {
  EnergyPlaces places;
  for (std::string* place :
       {&places.powercap, &places.perf, &places.hwmon, &places.power_supply}) {
    *place = root + *place;
  }
  places.nvml = places.nvidia_smi = "";
  return places;
}

Status CheckLiveness(const ProbeLoad& load, EnergySource* source) {
  for (int i = 0; i < kAttempts; ++i) {
    STINT_ASSIGN_OR_RETURN(const bool rises, RisesUnderLoad(load, source));
    if (rises) return OkStatus();
  }
  return Unsupported(source->name() + " does not rise under load");
}

LiveMeter ProbeEnergyMeter(const EnergyPlaces& places, const ProbeLoad& load) {
  std::string reasons;
  // Looked for one after the other: a live one ends the search.
  const auto try_source = [&](FoundEnergySource found) {
    Status status = found.status();
    if (found.ok()) {
      status = CheckLiveness(load, found->get());
      if (status.ok()) return std::move(*found);
    }
    if (status.code() != StatusCode::kNotFound) {
      reasons += (reasons.empty() ? "" : "; ") + status.message();
    }
    return std::unique_ptr<EnergySource>();
  };
  std::unique_ptr<EnergySource> source = try_source(FindRapl(places.powercap));
  if (source == nullptr) {
    source = try_source(FindPerfPower(places.perf, places.open_counter));
  }
  if (source == nullptr) source = try_source(FindHwmon(places.hwmon));
  if (source == nullptr) source = try_source(FindBattery(places.power_supply));
  if (source == nullptr) source = try_source(FindCards(places));
  if (source == nullptr) {
    if (reasons.empty()) {
      reasons =
          "none found: no RAPL, perf power events, hwmon sensors, "
          "discharging battery or NVML";
    }
    return {{"E", reasons}, nullptr};
  }
  EnergyMeter meter{std::string(1, Letter(source->grade())), source->name()};
  return {std::move(meter), std::move(source)};
}

}  // namespace stint
