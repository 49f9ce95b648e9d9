#include "lab/report/study_json.h"
#include "lab/stack/layer_times.h"

namespace stint {
namespace {

Json RowJson(const StackRow& row) {
  Json json = SettingJson(row.setting);
  json["status"] = row.status;
  json["reason"] = row.reason;
  json["alike"] = row.alike;
  for (const auto& [name, value] : row.figures) {
    if (!name.starts_with(kLayerPrefix)) json[name] = value;
  }
  return json;
}

// [value, low, high].
Json IntervalJson(const Estimate& estimate) {
  return {estimate.value, estimate.KnownLow() ? Json(estimate.low) : Json(),
          estimate.KnownHigh() ? Json(estimate.high) : Json()};
}

Json SlowerJson(const StackSpeedup& speedup) {
  Json layers = Json::array();
  for (const SlowerLayer& layer : speedup.slower) {
    layers.push_back({{"layer", layer.name},
                      {"before_us", layer.before_us},
                      {"after_us", layer.after_us},
                      {"kernel_before", layer.kernel_before},
                      {"kernel_after", layer.kernel_after}});
  }
  return layers;
}

}  // namespace

Json StackJson(const StackReport& report) {
  Json json = CountJson(report.count);
  json.update({{"evaluated", report.evaluated},
               {"taken_over", report.taken_over},
               {"rows", Json::array()},
               {"pareto", report.pareto},
               {"flips", Json::array()},
               {"speedups", Json::array()},
               {"correlations", Json::array()},
               {"devices", report.devices},
               {"contests", report.contests},
               {"ties", report.ties},
               {"undecided", report.undecided},
               {"timing_rounds", report.timing_rounds},
               {"failed_timings", report.failed_timings},
               {"programs", report.programs}});
  for (const StackRow& row : report.rows) json["rows"].push_back(RowJson(row));
  for (const StackFlip& flip : report.flips) {
    json["flips"].push_back({{"axis", flip.axis},
                             {"other", flip.other},
                             {"fixed", SettingJson(flip.fixed)},
                             {"from", flip.from},
                             {"winner_from", flip.winner_from},
                             {"to", flip.to},
                             {"winner_to", flip.winner_to},
                             {"lead_from", IntervalJson(flip.lead_from)},
                             {"lead_to", IntervalJson(flip.lead_to)}});
  }
  for (const StackSpeedup& s : report.speedups) {
    json["speedups"].push_back({{"model", s.model},
                                {"compute", s.compute},
                                {"compression", s.compression},
                                {"expected", s.expected},
                                {"achieved", s.achieved.value},
                                {"achieved_interval", IntervalJson(s.achieved)},
                                {"accuracy_change", s.accuracy_change},
                                {"slower", SlowerJson(s)}});
  }
  for (const StackCorrelation& c : report.correlations) {
    json["correlations"].push_back(
        {{"compute", c.compute}, {"a", c.a}, {"b", c.b}, {"rho", c.rho}});
  }
  return json;
}

}  // namespace stint
