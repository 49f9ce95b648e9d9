#include "cli/options/opencl_twin.h"

#include <string>
#include <string_view>

#include "cli/options/run_options.h"
#include "core/platform/file.h"
#include "core/platform/process.h"
#include "core/platform/shared_library.h"

namespace stint::cli {
namespace {

// Drivers compile and look around when they are first asked.
constexpr double kListSeconds = 60;

std::string TwinPath() {
  return JoinPath(DirectoryOf(ExecutablePath()), "stint-opencl");
}

Status NoTwin() {
  return Unsupported("OpenCL needs " + TwinPath() +
                     " beside this program, which is linked statically");
}

OpenClDeviceInfo FromJson(const Json& json) {
  return {json.at("name"),   json.at("device"),        json.at("platform"),
          json.at("driver"), json.at("compute_units"), json.at("memory_bytes")};
}

// What the twin prints of its devices.
Result<std::vector<OpenClDeviceInfo>> Parse(const std::string& line) {
  const Json json = Json::parse(line, nullptr, false);
  std::vector<OpenClDeviceInfo> devices;
  try {
    if (json.contains("opencl_note")) {
      return Unsupported(json["opencl_note"].get<std::string>());
    }
    for (const Json& device : json.at("opencl")) {
      devices.push_back(FromJson(device));
    }
  } catch (const Json::exception&) {
    return IoError(TwinPath() + ": an answer that is no list of devices");
  }
  return devices;
}

}  // namespace

bool AsksForOpenCl(int argc, char** argv) {
  constexpr std::string_view kOption = "--device";
  constexpr std::string_view kOpenCl = "opencl:";
  for (int i = 1; i < argc; ++i) {
    std::string_view word = argv[i];
    if (!word.starts_with(kOption)) continue;
    word.remove_prefix(kOption.size());
    if (word.empty() && i + 1 < argc) word = argv[i + 1];
    if (word.starts_with("=")) word.remove_prefix(1);
    if (word.starts_with(kOpenCl)) return true;
  }
  return false;
}

int BecomeOpenClTwin(char** argv) {
  if (CanLoadLibraries()) return kExitOk;
  if (!FileExists(TwinPath())) return Fail(NoTwin());
  return Fail(ReplaceProcess(TwinPath(), argv));
}

Result<std::vector<OpenClDeviceInfo>> OpenClDevices() {
  if (CanLoadLibraries()) return ListOpenClDevices();
  if (!FileExists(TwinPath())) return NoTwin();
  STINT_ASSIGN_OR_RETURN(
      Process twin,
      Process::Start({TwinPath(), "device", "--opencl", "--format", "json"}));
  STINT_ASSIGN_OR_RETURN(const std::string line, twin.ReadLine(kListSeconds));
  return Parse(line);
}

}  // namespace stint::cli
