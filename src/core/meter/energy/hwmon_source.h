#pragma once
// Power sensors of boards in the kernel's hwmon folder.

#include "core/meter/energy/energy_source.h"

namespace stint {

// `root` is /sys/class/hwmon. INA chips (INA3221 on Jetson boards): voltage
// times current of each channel; a channel that feeds the others (labels
// VDD_IN, POM_5V_IN) is used alone, else the channels are added up. Beside them
// meters of the whole machine (ACPI power_meter). Sensors of single devices,
// such as graphics cards, are no measure of the machine and not used.
FoundEnergySource FindHwmon(const std::string& root);

}  // namespace stint
