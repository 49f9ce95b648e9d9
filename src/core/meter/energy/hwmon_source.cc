#include "core/meter/energy/hwmon_source.h"

#include <vector>

#include "core/platform/file.h"
#include "core/platform/system_text.h"

namespace stint {
namespace {

constexpr int kMostChannels = 8;

// Volts times amperes, or watts when there is no second file.
struct Channel {
  std::string label;
  std::string volts;    // file in mV; or power in uW
  std::string amperes;  // file in mA; empty for power
};

class HwmonSource : public EnergySource {
 public:
  HwmonSource(const std::string& name, std::vector<Channel> channels)
      : EnergySource(name, EnergyGrade::kSensor),
        channels_(std::move(channels)) {}

  Result<double> Read() override {
    double watts = 0;
    for (const Channel& channel : channels_) {
      STINT_ASSIGN_OR_RETURN(const double first,
                             ReadSystemNumber(channel.volts));
      if (channel.amperes.empty()) {
        watts += first * 1e-6;
        continue;
      }
      STINT_ASSIGN_OR_RETURN(const double milliamperes,
                             ReadSystemNumber(channel.amperes));
      watts += first * milliamperes * 1e-6;
    }
    return watts;
  }

 private:
  std::vector<Channel> channels_;
};

std::vector<Channel> InaChannels(const std::string& folder) {
  std::vector<Channel> channels;
  for (int i = 1; i <= kMostChannels; ++i) {
    const std::string number = std::to_string(i);
    Channel channel;
    channel.volts = JoinPath(folder, "in" + number + "_input");
    channel.amperes = JoinPath(folder, "curr" + number + "_input");
    if (!FileExists(channel.volts) || !FileExists(channel.amperes)) continue;
    const auto label =
        ReadSystemText(JoinPath(folder, "in" + number + "_label"));
    channel.label = label.ok() ? *label : "channel " + number;
    if (channel.label == "NC") continue;  // not connected
    channels.push_back(std::move(channel));
  }
  return channels;
}

std::vector<Channel> PowerChannels(const std::string& folder) {
  for (const char* file : {"power1_input", "power1_average"}) {
    const std::string path = JoinPath(folder, file);
    if (FileExists(path)) return {{"power1", path, ""}};
  }
  return {};
}

// One channel that feeds all others is the whole.
void KeepWhole(std::vector<Channel>* channels) {
  for (const Channel& channel : *channels) {
    if (!channel.label.ends_with("_IN")) continue;
    *channels = {Channel(channel)};
    return;
  }
}

}  // namespace

FoundEnergySource FindHwmon(const std::string& root) {
  const auto entries = ListDirectory(root);
  if (!entries.ok()) return NotFound("no " + root);
  std::vector<Channel> channels;
  std::string chips;
  for (const std::string& entry : *entries) {
    const std::string folder = JoinPath(root, entry);
    const auto chip = ReadSystemText(JoinPath(folder, "name"));
    if (!chip.ok()) continue;
    const bool ina = chip->starts_with("ina");
    if (!ina && *chip != "power_meter") continue;
    std::vector<Channel> more;
    if (ina) more = InaChannels(folder);
    if (more.empty()) more = PowerChannels(folder);
    if (more.empty()) continue;
    if (!ina) {  // the whole machine: nothing is added to it
      channels = std::move(more);
      chips = " " + *chip;
      break;
    }
    if (chips.find(*chip) == std::string::npos) chips += " " + *chip;
    channels.insert(channels.end(), more.begin(), more.end());
  }
  if (channels.empty()) return NotFound(root + ": no power sensors");
  KeepWhole(&channels);
  std::string name = "hwmon" + chips;
  for (const Channel& channel : channels) name += " " + channel.label;
  auto source = std::make_unique<HwmonSource>(name, std::move(channels));
  const auto watts = source->Read();
  if (!watts.ok()) return watts.status();
  return std::unique_ptr<EnergySource>(std::move(source));
}

}  // namespace stint
