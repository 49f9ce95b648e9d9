#include <algorithm>

#include "lab/report/study_json.h"

namespace stint {
namespace {

Json RowJson(const ElasticRow& row) {
  Json json = SettingJson(row.condition);
  json["policy"] = row.policy;
  json["status"] = row.status;
  json["reason"] = row.reason;
  for (const auto& [name, value] : row.figures) {
    json[name] = ValueJson(value);
  }
  return json;
}

Json DeficitsJson(const std::vector<ElasticDeficit>& deficits) {
  Json list = Json::array();
  for (const ElasticDeficit& deficit : deficits) {
    Json json = SettingJson(deficit.condition);
    json["other"] = deficit.other;
    json["value"] = OrNull(deficit.ours);
    json["other_value"] = OrNull(deficit.others);
    json["p"] = deficit.p;
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace

Json ElasticJson(const ElasticReport& report) {
  Json json = CountJson(report.count);
  json["infeasible"] = std::count_if(
      report.rows.begin(), report.rows.end(),
      [](const ElasticRow& r) { return r.status == "infeasible"; });
  json["metric"] = report.metric;
  json["policies"] = RowsJson(PoliciesTable(report));
  json["only_others_feasible"] = DeficitsJson(report.only_others);
  json["significantly_worse"] = DeficitsJson(report.significantly_worse);
  json["compared"] = report.compared;
  json["gain_where_hard"] = OrNull(report.gain_where_hard);
  json["hard_conditions"] = report.hard_conditions;
  json["rows"] = Json::array();
  for (const ElasticRow& row : report.rows) {
    json["rows"].push_back(RowJson(row));
  }
  return json;
}

}  // namespace stint
