#include "lab/report/study_json.h"

#include <cmath>

namespace stint {

Json SettingJson(const Setting& setting) {
  Json json = Json::object();
  for (const auto& [axis, value] : setting) json[axis] = value;
  return json;
}

Json EstimateJson(const std::optional<Estimate>& estimate) {
  if (!estimate) return nullptr;
  return {{"value", OrNull(estimate->value)},
          {"low", OrNull(estimate->KnownLow())},
          {"high", OrNull(estimate->KnownHigh())}};
}

Json CountJson(const StudyCount& count) {
  return {
      {"points", count.points}, {"done", count.done}, {"failed", count.failed}};
}

void AddNoise(const NoiseRatio& noise, Json* json) {
  (*json)["ratio"] = noise.ratio.value;
  (*json)["ratio_low"] = OrNull(noise.ratio.KnownLow());
  (*json)["ratio_high"] = OrNull(noise.ratio.KnownHigh());
  (*json)["resolution"] = OrNull(noise.Resolution());
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

Json RowsJson(const Table& table) {
  Json rows = Json::array();
  for (const auto& row : table.rows) {
    Json& json = rows.emplace_back(Json::object());
    for (size_t c = 0; c < row.size(); ++c) {
      json[table.columns[c]] = ValueJson(row[c]);
    }
  }
  return rows;
}

Json ValueJson(const TableCell& cell) {
  if (!cell.known) return nullptr;
  if (cell.flag) return *cell.flag;
  if (!cell.number) return cell.text;
  const double value = *cell.number;
  if (std::floor(value) == value && std::abs(value) < 1e15) {
    return static_cast<int64_t>(value);
  }
  return OrNull(value);
}

}  // namespace stint
