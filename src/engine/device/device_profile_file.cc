#include "engine/device/device_profile_file.h"

namespace stint {

Result<DeviceProfile> LoadDeviceProfile(const std::string& folder, Isa isa,
                                        int threads) {
  const MachineCache cache(folder, "profile", MachineKey::Here(isa, threads));
  STINT_ASSIGN_OR_RETURN(const std::string text, cache.Read());
  return ParseDeviceProfile(text);
}

}  // namespace stint
