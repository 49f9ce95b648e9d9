#include "core/meter/energy/battery_source.h"

#include <cmath>
#include <vector>

#include "core/platform/file.h"
#include "core/platform/system_text.h"

namespace stint {
namespace {

constexpr double kMostWatts = 250;  // twice a large laptop

Result<double> BatteryWatts(const std::string& folder) {
  const auto microwatts = ReadSystemNumber(JoinPath(folder, "power_now"));
  if (microwatts.ok()) return std::abs(*microwatts) * 1e-6;
  STINT_ASSIGN_OR_RETURN(const double microvolts,
                         ReadSystemNumber(JoinPath(folder, "voltage_now")));
  STINT_ASSIGN_OR_RETURN(const double microamperes,
                         ReadSystemNumber(JoinPath(folder, "current_now")));
  return std::abs(microvolts * microamperes) * 1e-12;
}

Status CheckDischarging(const std::string& folder) {
  STINT_ASSIGN_OR_RETURN(const std::string status,
                         ReadSystemText(JoinPath(folder, "status")));
  if (status == "Discharging") return OkStatus();
  return Unsupported(folder + ": status '" + status +
                     "', expected Discharging: unplug the charger");
}

class BatterySource : public EnergySource {
 public:
  BatterySource(const std::string& name, std::vector<std::string> folders)
      : EnergySource(name, EnergyGrade::kSensor), folders_(std::move(folders)) {
    set_most_watts(kMostWatts);
  }

  Result<double> Read() override {
    double watts = 0;
    for (const std::string& folder : folders_) {
      STINT_RETURN_IF_ERROR(CheckDischarging(folder));
      STINT_ASSIGN_OR_RETURN(const double more, BatteryWatts(folder));
      watts += more;
    }
    return watts;
  }

 private:
  std::vector<std::string> folders_;
};

}  // namespace

FoundEnergySource FindBattery(const std::string& root) {
  const auto entries = ListDirectory(root);
  if (!entries.ok()) return NotFound("no " + root);
  std::vector<std::string> folders;
  std::string name = "battery";
  Status refused = NotFound(root + ": no battery");
  for (const std::string& entry : *entries) {
    const std::string folder = JoinPath(root, entry);
    const auto type = ReadSystemText(JoinPath(folder, "type"));
    if (!type.ok() || *type != "Battery") continue;
    const auto scope = ReadSystemText(JoinPath(folder, "scope"));
    if (scope.ok() && *scope == "Device") continue;  // of a mouse
    Status usable = CheckDischarging(folder);
    if (usable.ok()) usable = BatteryWatts(folder).status();
    if (!usable.ok()) {
      refused = usable;
      continue;
    }
    folders.push_back(folder);
    name += " " + entry;
  }
  if (folders.empty()) return refused;
  return std::unique_ptr<EnergySource>(
      std::make_unique<BatterySource>(name, std::move(folders)));
}

}  // namespace stint
