#include <cmath>

#include "lab/report/study_json.h"

namespace stint {
namespace {

Json PointJson(const TaxCurve& curve, const TaxPoint& point) {
  return {{curve.axis, point.size},
          {"run_ms", EstimateJson(point.run_ms)},
          {"cpu_ms", OrNull(point.cpu_ms)},
          {"kernel_ms", OrNull(point.kernel_ms)},
          {"profiled_ms", OrNull(point.profiled_ms)},
          {"outside_kernels_ms", OrNull(point.outside_ms())},
          {"twin_share", curve.twin_ms
                             ? OrNull(curve.twin_ms->value / point.run_ms.value)
                             : Json(nullptr)}};
}

Json CurveJson(const TaxCurve& curve) {
  Json json = {{"model", curve.model},     {"runtime", curve.runtime},
               {"version", curve.version}, {"axis", curve.axis},
               {"fixed", curve.fixed},     {"status", curve.status},
               {"reason", curve.reason},   {"note", curve.note},
               {"macs", curve.size.macs},  {"nodes", curve.size.nodes}};
  json["kernels"] = OrNull(curve.kernels);
  json["max_difference"] = OrNull(curve.max_difference);
  json["twin_ms"] = EstimateJson(curve.twin_ms);
  json["points"] = Json::array();
  for (const TaxPoint& point : curve.points) {
    json["points"].push_back(PointJson(curve, point));
  }
  json["hinge"] = nullptr;
  if (curve.hinge) {
    const HingeEstimate& hinge = *curve.hinge;
    json["hinge"] = {{"floor_ms", EstimateJson(hinge.floor_ms)},
                     {"fixed_ms", EstimateJson(hinge.fixed_ms)},
                     {"per_item_ms", EstimateJson(hinge.per_item_ms)},
                     {"crossover", EstimateJson(hinge.crossover)},
                     {"log_rms", hinge.fit.log_rms},
                     {"warnings", hinge.warnings}};
  }
  return json;
}

}  // namespace

Json TaxJson(const TaxReport& report) {
  Json json = CountJson(report.count);
  json["too_noisy"] = !AllQuiet(report.noise);
  json["noise"] = Json::object();
  for (const NoiseRatio& noise : report.noise) {
    Json& row = json["noise"][ValueOf(noise.condition, "model")];
    row = EstimateJson(noise.ratio);
    AddNoise(noise, &row);
  }
  json["curves"] = Json::array();
  for (const TaxCurve& curve : report.curves) {
    json["curves"].push_back(CurveJson(curve));
  }
  json["recovered"] = Json::array();
  for (const RecoveredOverhead& row : report.recovered) {
    json["recovered"].push_back({{"model", row.model},
                                 {"estimator", row.estimator},
                                 {"injected_ms", row.injected_ms},
                                 {"recovered_ms", row.recovered_ms},
                                 {"error", row.error()}});
  }
  json["regressions"] = Json::array();
  for (const TaxRegression& row : report.regressions) {
    json["regressions"].push_back({{"runtime", row.runtime},
                                   {"batch", row.batch},
                                   {"models", row.models},
                                   {"macs_r2", OrNull(row.macs_r2)},
                                   {"nodes_r2", OrNull(row.nodes_r2)},
                                   {"us_per_node", OrNull(row.us_per_node)}});
  }
  return json;
}

}  // namespace stint
