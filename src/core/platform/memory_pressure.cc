#include "core/platform/memory_pressure.h"

#include <cstdio>
#include <cstdlib>

#include "core/platform/file.h"

namespace stint {
namespace {

constexpr double kStalledPercent = 10;

// The number behind `name` and a space, anywhere in the text; 0 if not there.
double NumberBehind(const std::string& text, const std::string& name) {
  const size_t at = text.find(name);
  return at == std::string::npos
             ? 0
             : std::strtod(text.c_str() + at + name.size(), nullptr);
}

// Version 2 has one line "0::/path"; version 1 one per controller.
std::string EventsFile(const std::string& root) {
  const auto groups = ReadFile(root + "/proc/self/cgroup");
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
  const auto text = ReadFile(events_);
  if (!text.ok()) return 0;
  if (events_.ends_with("failcnt")) return std::atoll(text->c_str());
  return static_cast<int64_t>(NumberBehind(*text, "high ") +
                              NumberBehind(*text, "max "));
}

bool MemoryPressure::Rose() {
  const int64_t hits = LimitHits();
  const bool hit = hits > hits_;
  hits_ = hits;
  const auto stalls = ReadFile(root_ + "/proc/pressure/memory");
  const bool stalled =
      stalls.ok() && NumberBehind(*stalls, "some avg10=") >= kStalledPercent;
  const bool began = stalled && !stalled_;
  stalled_ = stalled;
  return hit || began;
}

}  // namespace stint
