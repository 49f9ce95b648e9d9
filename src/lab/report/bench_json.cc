#include "lab/report/study_json.h"

namespace stint {
namespace {

constexpr const char* kEnergyKeys[] = {"energy_grade", "gross_joules",
                                       "net_joules", "mean_watts",
                                       "below_resolution"};

Json NoiseJson(const NoiseRatio& noise) {
  Json json;
  for (const char* axis : kBenchAxes) {
    json[axis] = ValueJson(AxisCell(noise.condition, axis));
  }
  AddNoise(noise, &json);
  return json;
}

}  // namespace

Json BenchJson(const BenchReport& report) {
  Json json = {{"rows", RowsJson(BenchRowsTable(report))}};
  for (size_t i = 0; i < report.rows.size(); ++i) {
    if (!report.rows[i].energy_grade.empty()) continue;
    for (const char* key : kEnergyKeys) json["rows"][i].erase(key);
  }
  const NoiseRatio* worst = WorstNoise(report.noise);
  json["noise"] = worst != nullptr ? NoiseJson(*worst) : Json(nullptr);
  if (worst == nullptr) return json;
  for (const NoiseRatio& noise : report.noise) {
    json["noise"]["conditions"].push_back(NoiseJson(noise));
  }
  return json;
}

}  // namespace stint
