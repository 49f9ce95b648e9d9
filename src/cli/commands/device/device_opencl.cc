#include "cli/commands/device/device_opencl.h"

#include "cli/options/opencl_twin.h"

namespace stint::cli {

void AddOpenClDevices(Json* json) {
  const auto devices = OpenClDevices();
  (*json)["opencl"] = Json::array();
  if (!devices.ok()) {
    (*json)["opencl_note"] = devices.status().message();
    return;
  }
  for (const OpenClDeviceInfo& device : *devices) {
    (*json)["opencl"].push_back({{"name", device.name},
                                 {"device", device.device},
                                 {"platform", device.platform},
                                 {"driver", device.driver},
                                 {"compute_units", device.compute_units},
                                 {"memory_bytes", device.memory_bytes}});
  }
}

std::string OpenClDeviceText(const OpenClDeviceInfo& device) {
  return device.device + " (" + device.platform + ", " + device.driver + "), " +
         std::to_string(device.compute_units) + " compute units, " +
         FormatBytes(device.memory_bytes);
}

void PrintOpenClDevices() {
  const auto devices = OpenClDevices();
  if (!devices.ok() || devices->empty()) {
    Print("%-12s none: %s\n", "opencl",
          devices.ok() ? "no driver (ICD) has a device"
                       : devices.status().message().c_str());
    return;
  }
  for (const OpenClDeviceInfo& device : *devices) {
    Print("%-12s %s\n", device.name.c_str(), OpenClDeviceText(device).c_str());
  }
}

}  // namespace stint::cli
