#pragma once
// Which energy meter this machine has, found out by using it.

#include <string>
#include <vector>

#include "core/base/function_ref.h"
#include "core/meter/energy/energy_source.h"
#include "core/meter/energy/perf_source.h"

namespace stint {

// Where each kind of meter is looked for.
struct EnergyPlaces {
  std::string powercap = "/sys/class/powercap";
  std::string perf = "/sys/bus/event_source/devices";
  std::string hwmon = "/sys/class/hwmon";
  std::string power_supply = "/sys/class/power_supply";
  std::string nvml = "libnvidia-ml.so.1";
  std::string nvidia_smi = "nvidia-smi";
  OpenCounter open_counter = OpenPerfCounters();

  // Everything below `root`, as a recorded or made-up tree has it; no library
  // and no program.
  static EnergyPlaces Below(const std::string& root);
};

// Each lasts some tenths of a second; the second keeps the CPUs busy.
struct ProbeLoad {
  FunctionRef<void()> idle;
  FunctionRef<void()> busy;
};

// Whether a source can be trusted: it advances, its power is higher while busy
// than while idle, and stays between 0.2 W and twice what the hardware is made
// for. Some virtual machines show a counter that never moves: kUnsupported,
// with what was seen.
Status CheckLiveness(const ProbeLoad& load, EnergySource* source);

// What is said of a meter.
struct EnergyMeter {
  std::string grade = "E";
  std::string source;  // the counters, or why there are none
};

struct LiveMeter {
  EnergyMeter meter;
  std::unique_ptr<EnergySource> source;  // null for grade E
};

// The first source that is there and live, counters before sensors. Without
// any, the reasons of all that were found stand in `source`, or "none found".
LiveMeter ProbeEnergyMeter(const EnergyPlaces& places, const ProbeLoad& load);

}  // namespace stint
