#include "lab/report/study_json.h"

namespace stint {
namespace {

Json RowJson(const EnergyRow& row) {
  Json json = {{"condition", SettingJson(row.condition)},
               {"runtime", row.runtime},
               {"version", row.version},
               {"status", row.status},
               {"reason", row.reason},
               {"note", row.note},
               {"energy_grade", row.grade},
               {"energy_source", row.source}};
  json["p50_ms"] = row.run_ms ? OrNull(row.run_ms->value) : Json(nullptr);
  json["p50_low_ms"] =
      row.run_ms ? OrNull(row.run_ms->KnownLow()) : Json(nullptr);
  json["p50_high_ms"] =
      row.run_ms ? OrNull(row.run_ms->KnownHigh()) : Json(nullptr);
  json["cpu_ms"] = OrNull(row.cpu_ms);
  json["gross_joules"] = OrNull(row.gross_joules);
  json["net_joules"] = OrNull(row.net_joules);
  json["mean_watts"] = OrNull(row.mean_watts);
  json["below_resolution"] =
      row.below_resolution ? Json(*row.below_resolution) : Json(nullptr);
  json["rank"] = row.rank ? Json(*row.rank) : Json(nullptr);
  json["shapiro_p"] = OrNull(row.normality_p);
  return json;
}

}  // namespace

Json EnergyStudyJson(const EnergyStudyReport& report) {
  Json json = CountJson(report.count);
  json["metric"] = report.metric;
  json["note"] = report.note;
  json["metric_with_time_spearman"] = OrNull(report.metric_with_time);
  json["noise"] = NoiseListJson(report.noise);
  json["metric_noise"] = NoiseListJson(report.metric_noise);
  json["rows"] = Json::array();
  for (const EnergyRow& row : report.rows) json["rows"].push_back(RowJson(row));
  json["pairs"] = Json::array();
  for (const EnergyPair& pair : report.pairs) {
    json["pairs"].push_back({{"condition", SettingJson(pair.condition)},
                             {"a", pair.a},
                             {"b", pair.b},
                             {"p", OrNull(pair.p)},
                             {"rounds", pair.rounds},
                             {"needs_rounds", pair.needs_rounds},
                             {"proven", pair.proven},
                             {"cliffs_delta", pair.delta},
                             {"size", CliffsDeltaWord(pair.delta)}});
  }
  json["differences"] = Json::object();
  for (const auto& [condition, test] : report.differences) {
    json["differences"][condition] = {{"h", test.statistic}, {"p", test.p}};
  }
  return json;
}

}  // namespace stint
