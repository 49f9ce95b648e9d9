#pragma once
// What stint device says of OpenCL.

#include <string>

#include "cli/options/run_options.h"
#include "engine/opencl/opencl_device.h"

namespace stint::cli {

// Adds "opencl", a list, and "opencl_note" where there is none for a reason.
void AddOpenClDevices(Json* json);

// "pthread-cpu (Portable Computing Language, 3.1), 2 compute units, 13.0 GB"
std::string OpenClDeviceText(const OpenClDeviceInfo& device);

// One line for each device, or one that says why there is none.
void PrintOpenClDevices();

}  // namespace stint::cli
