#pragma once
// Parts of `stint device`: products on bit planes, OpenCL devices, and
// --primitives.

#include <cstdint>
#include <memory>
#include <string>

#include "cli/options/run_options.h"
#include "engine/device/code_costs.h"
#include "engine/opencl/opencl_device.h"
#include "lab/plot/plot.h"

namespace stint::cli {

// What products on bit planes take: as remembered, or measured now when there
// is nothing or `refresh` is set; a file that cannot be used is said on stderr.
Result<std::shared_ptr<const CodeCosts>> MeasuredCodes(
    const RunOptions& options, const std::string& folder, bool refresh);
// [{"k", "n", "bits", "rows": [...], "ns": [...]}, ...].
Json CodesToJson(const CodeCosts& costs);
// A few of them, for people.
Table CodesTable(const CodeCosts& costs);

// What is known of OpenCL devices.
struct OpenClList {
  Table devices;
  std::string none;     // why there is none
  bool failed = false;  // there is none for a reason worth a note in JSON
};
OpenClList ListOpenCl();
// Adds "opencl", a list, and "opencl_note" where asking failed.
void AddOpenClDevices(const OpenClList& list, Json* json);
// "pthread-cpu (Portable Computing Language, 3.1), 2 compute units, 13.0 GB"
std::string OpenClDeviceText(const OpenClDeviceInfo& device);

struct TuneRequest {
  std::string model;  // empty: none
  int64_t batch = 1;
};
// Times the primitives of a model's convolutions, keeps the times and prints
// one row per layer.
int TuneModel(const TuneRequest& request, const RunOptions& run);

}  // namespace stint::cli
