#pragma once
// Energy counters of the processor (RAPL) in the kernel's powercap folder.

#include "core/meter/energy/energy_source.h"

namespace stint {

// `root` is /sys/class/powercap. Adds up the packages and their memory (zones
// `package-*` and under them `dram`); `core` and `uncore` are parts of a
// package, and `psys` is the whole platform, so it is used alone and only where
// there is no package. Zones that repeat a package (intel-rapl-mmio) are left
// out. kNotFound where there is no counter, kIo, with the remedy, where it may
// not be read.
FoundEnergySource FindRapl(const std::string& root);

}  // namespace stint
