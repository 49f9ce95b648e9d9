#include "lab/record/plan_record.h"

#include <string>

namespace stint {
namespace {

// Null where nothing is known, and for what answers do not have.
Json ExpectedJson(const ExpectedAnswers& expected) {
  if (expected.rows == 0) return nullptr;
  Json json;
  json["rows"] = expected.rows;
  json["loss"] = expected.loss;
  json["loss_error"] = expected.loss_error;
  const bool classes = expected.same >= 0;
  json["same"] = classes ? Json(expected.same) : Json(nullptr);
  json["same_error"] = classes ? Json(expected.same_error) : Json(nullptr);
  return json;
}

Json LayerJson(const PlannedLayer& layer) {
  Json json;
  json["name"] = layer.name;
  json["bits"] = layer.bits;
  json["pinned_bytes"] = layer.pinned_bytes;
  json["stream_bytes"] = layer.stream_bytes;
  json["read_begin_ms"] = layer.read_begin_ms;
  json["read_end_ms"] = layer.read_end_ms;
  json["compute_begin_ms"] = layer.compute_begin_ms;
  json["compute_end_ms"] = layer.compute_end_ms;
  return json;
}

}  // namespace

std::string RegimeOf(const PlanReport& plan) {
  if (plan.stream_bytes == 0) return "resident";
  return plan.hidden_bits >= plan.mean_bits ? "hidden" : "storage-bound";
}

Json PlanJson(const PlanReport& plan) {
  Json json;
  json["feasible"] = true;
  json["policy"] = plan.policy;
  json["predicted_ms"] = plan.predicted_ms;
  json["predicted_peak_rss_bytes"] = plan.predicted_peak_bytes;
  const PlanFigures figures{plan.mean_bits, plan.stream_bytes,
                            plan.preload_bytes};
  JsonWriter writer(&json);
  PlanFigures::Visit(figures, writer);
  json["layers"] = plan.layers;
  json["width"] = plan.width;
  json["fixed_bytes"] = plan.fixed_bytes;
  json["ring_bytes"] = plan.ring_bytes;
  json["regime"] = RegimeOf(plan);
  json["hidden_bits"] = OrNull(plan.hidden_bits);
  json["loss"] = plan.loss;
  json["expected"] = ExpectedJson(plan.expected);
  json["answers"] = plan.answers;
  json["keeps_latency"] = plan.keeps_latency;
  json["busy"] = plan.busy;
  json["io"] = plan.io_uring ? "io_uring" : "pread";
  json["plan"] = Json::array();
  for (const PlannedLayer& layer : plan.plan) {
    json["plan"].push_back(LayerJson(layer));
  }
  return json;
}

}  // namespace stint
