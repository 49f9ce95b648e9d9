#include "core/meter/energy/perf_source.h"

#include <charconv>
#include <vector>

#include "core/platform/file.h"
#include "core/platform/machine/perf_counter.h"
#include "core/platform/system_text.h"

namespace stint {
namespace {

constexpr int kMostCpus = 65536;

struct ScaledCounter {
  CountReader read;
  double joules_per_count;
};

class PerfSource : public EnergySource {
 public:
  PerfSource(const std::string& name, std::vector<ScaledCounter> counters)
      : EnergySource(name, EnergyGrade::kCounter),
        counters_(std::move(counters)) {}

  Result<double> Read() override {
    double joules = 0;
    for (const ScaledCounter& counter : counters_) {
      STINT_ASSIGN_OR_RETURN(const uint64_t count, counter.read());
      joules += static_cast<double>(count) * counter.joules_per_count;
    }
    return joules;
  }

 private:
  std::vector<ScaledCounter> counters_;
};

bool ParseInt(std::string_view text, int* value) {
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), *value);
  return error == std::errc() && end == text.data() + text.size();
}

// "event=0x02"
Result<uint64_t> EventConfig(const std::string& path) {
  STINT_ASSIGN_OR_RETURN(const std::string text, ReadSystemText(path));
  constexpr std::string_view kPrefix = "event=0x";
  uint64_t config = 0;
  if (text.find(kPrefix) == 0) {
    const char* begin = text.data() + kPrefix.size();
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(begin, end, config, 16);
    if (error == std::errc() && rest == end) return config;
  }
  return Damaged(path + ": '" + text.substr(0, 40) + "', expected event=0xN");
}

// Opens one event on all CPUs of the mask.
Status AddEvent(const std::string& folder, const std::string& event,
                const OpenCounter& open, std::vector<ScaledCounter>* counters) {
  STINT_ASSIGN_OR_RETURN(const double type,
                         ReadSystemNumber(JoinPath(folder, "type")));
  STINT_ASSIGN_OR_RETURN(const std::string mask,
                         ReadSystemText(JoinPath(folder, "cpumask")));
  STINT_ASSIGN_OR_RETURN(const auto cpus, ParseCpuList(mask));
  const std::string path = JoinPath(JoinPath(folder, "events"), event);
  STINT_ASSIGN_OR_RETURN(const uint64_t config, EventConfig(path));
  STINT_ASSIGN_OR_RETURN(const std::string unit,
                         ReadSystemText(path + ".unit"));
  if (unit != "Joules") {
    return Damaged(path + ".unit: '" + unit + "', expected Joules");
  }
  STINT_ASSIGN_OR_RETURN(const double scale, ReadSystemNumber(path + ".scale"));
  for (int cpu : cpus) {
    STINT_ASSIGN_OR_RETURN(CountReader reader,
                           open(static_cast<uint32_t>(type), config, cpu));
    counters->push_back({std::move(reader), scale});
  }
  return OkStatus();
}

}  // namespace

Result<std::vector<int>> ParseCpuList(const std::string& text) {
  std::vector<int> cpus;
  size_t begin = 0;
  while (begin <= text.size()) {
    size_t end = text.find(',', begin);
    if (end == std::string::npos) end = text.size();
    const std::string_view part(text.data() + begin, end - begin);
    const size_t dash = part.find('-');
    int first = 0, last = 0;
    const bool ok = ParseInt(part.substr(0, dash), &first) &&
                    (dash == std::string_view::npos
                         ? (last = first, true)
                         : ParseInt(part.substr(dash + 1), &last));
    if (!ok || first < 0 || last < first || last >= kMostCpus) {
      return Damaged("CPU list '" + text.substr(0, 40) +
                     "', expected numbers as in 0,4-6");
    }
    for (int cpu = first; cpu <= last; ++cpu) cpus.push_back(cpu);
    begin = end + 1;
  }
  return cpus;
}

OpenCounter OpenPerfCounters() {
  return [](uint32_t type, uint64_t config, int cpu) -> Result<CountReader> {
    STINT_ASSIGN_OR_RETURN(auto opened, PerfCounter::Open(type, config, cpu));
    const std::shared_ptr<PerfCounter> counter = std::move(opened);
    return CountReader([counter] { return counter->Read(); });
  };
}

FoundEnergySource FindPerfPower(const std::string& root,
                                const OpenCounter& open) {
  const std::string folder = JoinPath(root, "power");
  if (!DirectoryExists(folder)) return NotFound("no " + folder);
  std::vector<ScaledCounter> counters;
  std::string name = "perf power/";
  std::string events;
  Status refused;
  const auto add = [&](const char* event) {
    if (!FileExists(JoinPath(JoinPath(folder, "events"), event))) return;
    std::vector<ScaledCounter> opened;
    const Status added = AddEvent(folder, event, open, &opened);
    if (added.ok()) {
      counters.insert(counters.end(), opened.begin(), opened.end());
      events += (events.empty() ? "" : "+") + std::string(event);
    } else {
      refused = added.Annotate(event);
    }
  };
  add("energy-pkg");
  if (!events.empty()) add("energy-ram");
  if (events.empty()) add("energy-psys");
  if (events.empty()) {
    return refused.ok()
               ? NotFound(folder + ": no events of energy")
               : Status(refused.code(), folder + ": " + refused.message());
  }
  return std::unique_ptr<EnergySource>(
      std::make_unique<PerfSource>(name + events, std::move(counters)));
}

}  // namespace stint
