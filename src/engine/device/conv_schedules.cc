#include "engine/device/conv_schedules.h"

#include <cmath>
#include <cstdio>
#include <sstream>

#include "engine/device/cost_file.h"

namespace stint {
namespace {

bool IsTime(double us) { return std::isfinite(us) && us > 0; }

}  // namespace

void ConvSchedules::Set(const std::string& layer, TunedSchedule schedule) {
  layers_[layer] = std::move(schedule);
}

const TunedSchedule* ConvSchedules::Find(const std::string& layer) const {
  const auto it = layers_.find(layer);
  return it != layers_.end() ? &it->second : nullptr;
}

std::string ConvSchedules::ToText() const {
  std::string text;
  for (const auto& [layer, tuned] : layers_) {
    char times[64];
    std::snprintf(times, sizeof(times), " %.6g %.6g\n", tuned.us,
                  tuned.default_us);
    text += layer + " " + stint::ToText(tuned.plan) + times;
  }
  return text;
}

Result<ConvSchedules> ConvSchedules::Parse(std::string_view text) {
  ConvSchedules table;
  std::istringstream lines{std::string(text)};
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    std::istringstream words(line);
    std::string layer, plan, more;
    TunedSchedule tuned;
    words >> layer >> plan >> tuned.us >> tuned.default_us;
    const auto parsed = ParseConvPlan(plan);
    if (words.fail() || words >> more || !parsed.ok() || !IsTime(tuned.us) ||
        !IsTime(tuned.default_us)) {
      return Damaged("schedules: line " + std::to_string(number) +
                     " is wrong: " + line.substr(0, 80));
    }
    tuned.plan = *parsed;
    table.Set(layer, std::move(tuned));
  }
  return table;
}

Result<std::shared_ptr<const ConvSchedules>> LoadConvSchedules(
    const std::string& folder, Isa isa, int threads) {
  return LoadCosts<ConvSchedules>("schedules", folder, isa, threads);
}

Status SaveConvSchedules(const std::string& folder, Isa isa, int threads,
                         const ConvSchedules& schedules) {
  return SaveCosts("schedules", folder, isa, threads, schedules);
}

}  // namespace stint
