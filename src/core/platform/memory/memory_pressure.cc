#include "core/platform/memory/memory_pressure.h"

#include <cstdio>
#include <cstdlib>
#include <limits>

#include "core/platform/file.h"
#include "core/platform/system_text.h"

namespace stint {
namespace {

constexpr double kStalledPercent = 10;
constexpr double kNearlyAll = 0.95;

// The number behind `name` and a space, anywhere in the text; 0 if not there.
double NumberBehind(const std::string& text, const std::string& name) {
  const size_t at = text.find(name);
  return at == std::string::npos
             ? 0
             : std::strtod(text.c_str() + at + name.size(), nullptr);
}

// Version 2 has one line "0::/path"; version 1 one per controller.
std::string EventsFile(const std::string& root) {
  const auto groups = ReadSystemText(root + "/proc/self/cgroup");
  if (!groups.ok()) return "";
  const auto path_behind = [&](const std::string& name) -> std::string {
    const size_t at = groups->find(name);
    if (at == std::string::npos) return "";
    const size_t begin = at + name.size();
    return groups->substr(begin, groups->find('\n', begin) - begin);
  };
  const std::string fs = root + "/sys/fs/cgroup";
  const std::string one = fs + "/memory" + path_behind(":memory:");
  if (FileExists(one + "/memory.failcnt")) return one + "/memory.failcnt";
  const std::string two = fs + path_behind("0::");
  if (FileExists(two + "/memory.events")) return two + "/memory.events";
  return "";
}

}  // namespace

MemoryPressure::MemoryPressure(std::string root)
    : root_(std::move(root)), events_(EventsFile(root_)), hits_(LimitHits()) {}

int64_t MemoryPressure::LimitHits() const {
  if (events_.empty()) return 0;
  const auto text = ReadSystemText(events_);
  if (!text.ok()) return 0;
  if (events_.ends_with("failcnt")) return std::atoll(text->c_str());
  return static_cast<int64_t>(NumberBehind(*text, "high ") +
                              NumberBehind(*text, "max "));
}

double MemoryPressure::LimitBytes() const {
  const bool one = events_.ends_with("failcnt");
  const auto text = ReadSystemText(
      DirectoryOf(events_) + (one ? "/memory.limit_in_bytes" : "/memory.max"));
  const double limit = text.ok() ? std::atof(text->c_str()) : 0;  // "max": 0
  return limit > 0 ? limit : std::numeric_limits<double>::infinity();
}

bool MemoryPressure::Rose(int64_t resident_bytes) {
  const int64_t hits = LimitHits();
  const bool hit = hits > hits_ && static_cast<double>(resident_bytes) >
                                       kNearlyAll * LimitBytes();
  hits_ = hits;
  const auto stalls = ReadSystemText(root_ + "/proc/pressure/memory");
  const bool stalled =
      stalls.ok() && NumberBehind(*stalls, "some avg10=") >= kStalledPercent;
  const bool began = stalled && !stalled_;
  stalled_ = stalled;
  return hit || began;
}

}  // namespace stint
