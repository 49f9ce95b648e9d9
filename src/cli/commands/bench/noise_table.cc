#include "cli/commands/bench/noise_table.h"

namespace stint::cli {

void PrintNoise(const NoiseRatio& noise) {
  Print("  A/A (stint against itself) %s: %s\n",
        EstimateText(noise.ratio, "%.3f").c_str(), NoiseText(noise).c_str());
}

void AddNoise(const NoiseRatio& noise, Json* json) {
  const auto or_null = [](const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
  };
  (*json)["ratio"] = noise.ratio.value;
  (*json)["ratio_low"] = or_null(noise.ratio.KnownLow());
  (*json)["ratio_high"] = or_null(noise.ratio.KnownHigh());
  (*json)["resolution"] = or_null(noise.Resolution());
  (*json)["verdict"] = NoiseWord(noise.verdict);
  (*json)["too_noisy"] = !noise.quiet();
}

Json NoiseListJson(const std::vector<NoiseRatio>& noise) {
  Json list = Json::array();
  for (const NoiseRatio& row : noise) {
    list.push_back({{"condition", ToString(row.condition)}});
    AddNoise(row, &list.back());
  }
  return list;
}

}  // namespace stint::cli
