#pragma once
// What stint device says of OpenCL.

#include "cli/command.h"

namespace stint::cli {

// Adds "opencl", a list, and "opencl_note" where there is none for a reason.
void AddOpenClDevices(Json* json);

// One line for each device, or one that says why there is none.
void PrintOpenClDevices();

}  // namespace stint::cli
