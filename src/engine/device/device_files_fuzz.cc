// Any bytes as a device profile and as a table of costs: an error or a value.

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "engine/device/conv_costs.h"
#include "engine/device/device_profile.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)stint::ParseDeviceProfile(text);
  const auto costs = stint::ConvCosts::Parse(text);
  if (costs.ok()) (void)costs->ToText();
  return 0;
}
