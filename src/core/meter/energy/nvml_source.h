#pragma once
// Energy of NVIDIA graphics cards through their management library (NVML).

#include <functional>
#include <string>
#include <vector>

#include "core/meter/energy/energy_source.h"

namespace stint {

// The few calls that are used; an error of the library is its number.
struct NvmlCalls {
  std::function<int()> init;
  std::function<int(unsigned* count)> count;
  // Millijoules since the driver was loaded; fails before Volta.
  std::function<int(unsigned device, unsigned long long* mj)> energy;
  std::function<int(unsigned device, unsigned* mw)> power;
};

// Loads `library` ("libnvidia-ml.so.1"). kUnsupported in a static program,
// kNotFound without the library.
Result<NvmlCalls> LoadNvml(const std::string& library);

// All cards together: grade A where every card counts energy, else B.
FoundEnergySource FindNvml(const NvmlCalls& calls);

// The same through the program nvidia-smi, which a static program can start:
// grade B. `program` is its name or path.
FoundEnergySource FindNvidiaSmi(const std::string& program);

// "25.31\n17.00\n": the sum, of one line per card. kDamaged on anything else.
Result<double> ParseSmiWatts(const std::vector<std::string>& lines);

}  // namespace stint
