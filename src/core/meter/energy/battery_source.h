#pragma once
// The gauge of a battery that is being used up.

#include "core/meter/energy/energy_source.h"

namespace stint {

// `root` is /sys/class/power_supply. Power of all batteries that discharge:
// power_now, or voltage_now times current_now, whose sign differs by driver and
// is ignored. kUnsupported while no battery discharges: what flows then is not
// what the machine takes.
FoundEnergySource FindBattery(const std::string& root);

}  // namespace stint
