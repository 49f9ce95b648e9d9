#pragma once
// The same counters of the processor through the kernel's perf events
// (power/energy-*), which may be open where powercap is not.

#include <cstdint>
#include <functional>
#include <vector>

#include "core/meter/energy/energy_source.h"

namespace stint {

// Opens an event on one CPU and gives back what reads its count. Tests put
// their own in place of the kernel's.
using CountReader = std::function<Result<uint64_t>()>;
using OpenCounter =
    std::function<Result<CountReader>(uint32_t type, uint64_t config, int cpu)>;
OpenCounter OpenPerfCounters();

// `root` is /sys/bus/event_source/devices. Adds up energy-pkg and energy-ram of
// every CPU in `power/cpumask`; energy-psys alone, where there is no package.
FoundEnergySource FindPerfPower(const std::string& root,
                                const OpenCounter& open);

// "0,4-6": the CPUs of a mask file.
Result<std::vector<int>> ParseCpuList(const std::string& text);

}  // namespace stint
