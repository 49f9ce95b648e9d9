#include "core/meter/energy/rapl_source.h"

#include <set>
#include <vector>

#include "core/platform/file.h"
#include "core/platform/system_text.h"

namespace stint {
namespace {

constexpr char kRemedy[] =
    "; root can allow it: chmod a+r /sys/class/powercap/*/energy_uj";

// One counter of microjoules that starts again at its range.
struct Zone {
  std::string folder;
  std::string name;  // package-0, dram, psys
  double range_uj = 0;
  double last_uj = 0;
  double total_uj = 0;
};

class RaplSource : public EnergySource {
 public:
  RaplSource(const std::string& name, std::vector<Zone> zones, double watts)
      : EnergySource(name, EnergyGrade::kCounter), zones_(std::move(zones)) {
    if (watts > 0) set_most_watts(2 * watts);
  }

  Result<double> Read() override {
    double total_uj = 0;
    for (Zone& zone : zones_) {
      STINT_ASSIGN_OR_RETURN(
          const double now_uj,
          ReadSystemNumber(JoinPath(zone.folder, "energy_uj")));
      double delta_uj = now_uj - zone.last_uj;
      if (delta_uj < 0) delta_uj += zone.range_uj;
      if (delta_uj < 0) {
        return Damaged(zone.folder + ": energy_uj went back from " +
                       std::to_string(zone.last_uj) + " to " +
                       std::to_string(now_uj) + " beyond its range");
      }
      zone.last_uj = now_uj;
      zone.total_uj += delta_uj;
      total_uj += zone.total_uj;
    }
    return total_uj * 1e-6;
  }

 private:
  std::vector<Zone> zones_;
};

// How many colons: 1 for a package, 2 for a part of one.
size_t Colons(const std::string& entry) {
  size_t count = 0;
  for (char c : entry) count += c == ':' ? 1 : 0;
  return count;
}

struct Found {
  std::vector<Zone> packages;
  std::vector<Zone> platform;
  std::set<std::string> package_names;
  double watts = 0;  // that the packages are made for; 0: unknown
  Status refused;    // the last zone that could not be read
};

Status AddZone(const std::string& folder, const std::string& name,
               std::vector<Zone>* zones) {
  Zone zone{folder, name, 0, 0, 0};
  STINT_ASSIGN_OR_RETURN(zone.last_uj,
                         ReadSystemNumber(JoinPath(folder, "energy_uj")));
  const auto range = ReadSystemNumber(JoinPath(folder, "max_energy_range_uj"));
  if (range.ok()) zone.range_uj = *range;
  zones->push_back(std::move(zone));
  return OkStatus();
}

double DesignWatts(const std::string& folder) {
  for (const char* file :
       {"constraint_0_max_power_uw", "constraint_0_power_limit_uw"}) {
    const auto microwatts = ReadSystemNumber(JoinPath(folder, file));
    if (microwatts.ok() && *microwatts > 0) return *microwatts * 1e-6;
  }
  return 0;
}

// The memory of a package: a zone below it of that name.
void AddMemory(const std::string& root, const std::string& entry,
               const std::vector<std::string>& entries, Found* found) {
  for (const std::string& part : entries) {
    if (!part.starts_with(entry + ":")) continue;
    const std::string folder = JoinPath(root, part);
    const auto name = ReadSystemText(JoinPath(folder, "name"));
    if (!name.ok() || *name != "dram") continue;
    const Status added = AddZone(folder, *name, &found->packages);
    if (!added.ok()) found->refused = added;
  }
}

void AddEntry(const std::string& root, const std::string& entry,
              const std::vector<std::string>& entries, Found* found) {
  const std::string folder = JoinPath(root, entry);
  const auto name = ReadSystemText(JoinPath(folder, "name"));
  if (!name.ok()) return;
  const bool package = name->starts_with("package-");
  if (!package && *name != "psys") return;
  if (package && found->package_names.count(*name) > 0) return;
  const Status added =
      AddZone(folder, *name, package ? &found->packages : &found->platform);
  if (!added.ok()) {
    found->refused = added;
    return;
  }
  if (!package) return;
  found->package_names.insert(*name);
  found->watts += DesignWatts(folder);
  AddMemory(root, entry, entries, found);
}

}  // namespace

FoundEnergySource FindRapl(const std::string& root) {
  const auto entries = ListDirectory(root);
  if (!entries.ok()) return NotFound("no " + root);
  Found found;
  // Sorted names put intel-rapl-mmio before intel-rapl: the latter first.
  for (const bool repeats : {false, true}) {
    for (const std::string& entry : *entries) {
      if (Colons(entry) != 1) continue;
      if ((entry.find("-mmio") != std::string::npos) != repeats) continue;
      AddEntry(root, entry, *entries, &found);
    }
  }
  const bool packages = !found.packages.empty();
  std::vector<Zone>& zones = packages ? found.packages : found.platform;
  if (zones.empty()) {
    if (!found.refused.ok()) {
      return IoError(found.refused.message() + kRemedy);
    }
    return NotFound(root + ": no counters");
  }
  std::string name = "RAPL";
  for (const Zone& zone : zones) name += " " + zone.name;
  return std::unique_ptr<EnergySource>(std::make_unique<RaplSource>(
      name, std::move(zones), packages ? found.watts : 0));
}

}  // namespace stint
