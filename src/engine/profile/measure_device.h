#pragma once
// Measures a device profile on this machine. Takes a few seconds and keeps all
// threads busy.

#include <functional>
#include <string>

#include "core/platform/cpu_info.h"
#include "engine/device/device_profile.h"

namespace stint {

class ThreadPool;

struct MeasureOptions {
  Isa isa = Isa::kBaseline;
  // A file for reads is made here and taken away again.
  std::string folder;
  // Told the share that is done, [0, 1].
  std::function<void(double done)> progress;
};

// Storage that cannot be measured leaves `io` empty; everything else always
// has a figure.
DeviceProfile MeasureDevice(const MeasureOptions& options, ThreadPool* pool);

// The parts.
void MeasureArithmetic(Isa isa, ThreadPool* pool, DeviceProfile* profile);
void MeasureMemory(Isa isa, ThreadPool* pool, DeviceProfile* profile);
Status MeasureStorage(const std::string& folder, DeviceProfile* profile);

}  // namespace stint
