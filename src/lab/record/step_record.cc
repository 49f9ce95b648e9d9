#include "lab/record/step_record.h"

namespace stint {
namespace {

constexpr char kSteps[] = "steps";
constexpr char kKernel[] = "kernel";

template <typename Record, typename Fields>
void Visit(Record& step, bool choice, Fields& fields) {
  fields("node", step.node);
  fields("op", step.op);
  fields("run_us", step.run_us);
  if (!choice) return;
  fields(kKernel, step.kernel);
  fields("reason", step.reason);
  fields("detail", step.detail);
  fields("schedule", step.schedule);
  fields("rule", step.rule);
}

// Without what is not known.
Json ToJson(const KernelCandidate& candidate) {
  Json json = {{kKernel, candidate.kernel}};
  if (candidate.us > 0) json["us"] = candidate.us;
  if (candidate.weight_bytes > 0) json["weight_bytes"] = candidate.weight_bytes;
  if (!candidate.refused.empty()) json["refused"] = candidate.refused;
  return json;
}

}  // namespace

Json StepsJson(const std::vector<StepRecord>& steps) {
  Json list = Json::array();
  for (const StepRecord& step : steps) {
    Json json;
    JsonWriter writer(&json);
    Visit(step, !step.kernel.empty(), writer);
    if (!step.kernel.empty()) {
      Json& candidates = json["candidates"] = Json::array();
      for (const KernelCandidate& candidate : step.candidates) {
        candidates.push_back(ToJson(candidate));
      }
    }
    list.push_back(std::move(json));
  }
  return {{kSteps, std::move(list)}};
}

Result<std::vector<StepRecord>> ParseSteps(const std::string& line) {
  STINT_ASSIGN_OR_RETURN(const Json json, ParseObject(line));
  const auto list = json.find(kSteps);
  if (list == json.end() || !list->is_array()) {
    return Damaged(std::string("key '") + kSteps + "': expected a list");
  }
  std::vector<StepRecord> steps;
  for (const Json& entry : *list) {
    if (!entry.is_object()) return Damaged("a step is no object");
    JsonReader reader(entry);
    Visit(steps.emplace_back(), entry.contains(kKernel), reader);
    STINT_RETURN_IF_ERROR(reader.status());
  }
  return steps;
}

}  // namespace stint
