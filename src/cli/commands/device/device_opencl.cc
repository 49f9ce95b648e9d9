#include "cli/commands/device/device_parts.h"
#include "cli/options/opencl_twin.h"
#include "lab/report/study_json.h"

namespace stint::cli {

OpenClList ListOpenCl() {
  const auto devices = OpenClDevices();
  OpenClList list;
  list.devices.columns = {"name",   "device",        "platform",
                          "driver", "compute_units", "memory_bytes"};
  if (!devices.ok() || devices->empty()) {
    list.failed = !devices.ok();
    list.none = devices.ok() ? "no driver (ICD) has a device"
                             : devices.status().message();
    return list;
  }
  for (const OpenClDeviceInfo& device : *devices) {
    list.devices.rows.push_back({device.name, device.device, device.platform,
                                 device.driver, device.compute_units,
                                 device.memory_bytes});
  }
  return list;
}

void AddOpenClDevices(const OpenClList& list, Json* json) {
  (*json)["opencl"] = RowsJson(list.devices);
  if (list.failed) (*json)["opencl_note"] = list.none;
}

std::string OpenClDeviceText(const OpenClDeviceInfo& device) {
  return device.device + " (" + device.platform + ", " + device.driver + "), " +
         std::to_string(device.compute_units) + " compute units, " +
         FormatBytes(device.memory_bytes);
}

}  // namespace stint::cli
