#pragma once
// Which energy meter this machine has, found out by using it. Grades: A, a
// counter that was seen to advance under load; E, none.

#include <string>

#include "core/base/function_ref.h"

namespace stint {

struct EnergyMeter {
  std::string grade = "E";
  std::string source;  // the counters, or why there are none
};

// Reads the package counters of `root` (/sys/class/powercap) around `load`,
// which should keep the CPUs busy for some tenths of a second. A counter that
// stays, or gives a power that no package has, is not trusted: some virtual
// machines show one that never moves.
EnergyMeter ProbeEnergyMeter(const std::string& root, FunctionRef<void()> load);

}  // namespace stint
