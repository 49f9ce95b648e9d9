#pragma once
// Asks the ICD loader what there is.

#include <vector>

#include "engine/opencl/opencl_device.h"

namespace stint {

struct FoundDevice {
  cl_device_id id = nullptr;
  OpenClDeviceInfo info;
};

Result<std::vector<FoundDevice>> FindOpenClDevices(const OpenClApi& api);

// A fact of a device that is a plain value.
template <typename T>
Result<T> DeviceFact(const OpenClApi& api, cl_device_id device,
                     cl_device_info what) {
  T value{};
  STINT_RETURN_IF_ERROR(OpenClStatus(
      api.clGetDeviceInfo(device, what, sizeof(value), &value, nullptr),
      "clGetDeviceInfo"));
  return value;
}

}  // namespace stint
