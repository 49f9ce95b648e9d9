#pragma once
// The measured profile of this machine, between runs.

#include <string>

#include "engine/device/device_profile.h"
#include "engine/device/machine_cache.h"

namespace stint {

// kNotFound when nothing was measured for this ISA and number of threads,
// kDamaged when the file cannot be used.
Result<DeviceProfile> LoadDeviceProfile(const std::string& folder, Isa isa,
                                        int threads);

}  // namespace stint
