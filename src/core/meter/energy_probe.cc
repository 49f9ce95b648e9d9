#include "core/meter/energy_probe.h"

#include <cstdlib>
#include <optional>
#include <vector>

#include "core/platform/clock.h"
#include "core/platform/file.h"

namespace stint {
namespace {

// Watts that a package can draw, idle or busy.
constexpr double kLeastWatts = 0.2;
constexpr double kMostWatts = 2000;

struct Counter {
  std::string name;  // intel-rapl:0
  std::string path;
  double microjoules = 0;
};

std::optional<double> ReadCounter(const std::string& path) {
  const auto text = ReadFile(path);
  if (!text.ok() || text->empty()) return std::nullopt;
  char* end = nullptr;
  const double value = std::strtod(text->c_str(), &end);
  if (end == text->c_str()) return std::nullopt;
  return value;
}

// Packages are "x:n"; "x:n:m" is a part of one and would be counted twice.
bool IsPackage(const std::string& name) {
  const size_t colon = name.find(':');
  return colon != std::string::npos &&
         name.find(':', colon + 1) == std::string::npos;
}

}  // namespace

EnergyMeter ProbeEnergyMeter(const std::string& root,
                             FunctionRef<void()> load) {
  const auto names = ListDirectory(root);
  if (!names.ok()) return {"E", "no " + root};
  std::vector<Counter> counters;
  bool any = false;
  for (const std::string& name : *names) {
    if (!IsPackage(name)) continue;
    any = true;
    Counter counter{name, JoinPath(JoinPath(root, name), "energy_uj"), 0};
    const auto value = ReadCounter(counter.path);
    if (!value) continue;
    counter.microjoules = *value;
    counters.push_back(std::move(counter));
  }
  if (counters.empty()) {
    return {"E",
            any ? root + ": counters may not be read" : root + ": no counters"};
  }
  const int64_t start = NowNs();
  load();
  const double seconds = MsSince(start) * 1e-3;
  std::string live;
  for (const Counter& counter : counters) {
    const double watts =
        (ReadCounter(counter.path).value_or(0) - counter.microjoules) * 1e-6 /
        seconds;
    if (watts < kLeastWatts || watts > kMostWatts) continue;
    live += (live.empty() ? "" : " ") + counter.name;
  }
  if (live.empty()) return {"E", root + ": counters do not advance under load"};
  return {"A", "RAPL " + live};
}

}  // namespace stint
