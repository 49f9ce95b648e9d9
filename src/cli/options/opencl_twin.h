#pragma once
// The static program cannot load drivers of devices. Beside it lies
// stint-opencl, the same program with shared libraries, which takes over when
// OpenCL is asked for (docs/decisions/0026-opencl.md).

#include <vector>

#include "engine/opencl/opencl_device.h"

namespace stint::cli {

// "--device opencl:N" is among the words of the command.
bool AsksForOpenCl(int argc, char** argv);

// In a program that cannot load libraries, becomes the other one with the same
// command and returns only when that fails, with an exit code. Otherwise
// returns kExitOk at once.
int BecomeOpenClTwin(char** argv);

// The devices, from the other program where this one cannot ask.
Result<std::vector<OpenClDeviceInfo>> OpenClDevices();

}  // namespace stint::cli
