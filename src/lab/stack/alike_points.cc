#include "lab/stack/alike_points.h"

#include <cstdio>

#include "core/base/checksum.h"
#include "lab/stack/tuned_schedules.h"

namespace stint {
namespace {

bool IsConvolution(const std::string& op) {
  return op.find("Conv") != std::string::npos;
}

// Whether what the outcome has was measured at its own point.
bool IsOwn(const Outcome& outcome) {
  return (outcome.ok() || outcome.emulated()) &&
         !outcome.facts.contains(kAlikeFact);
}

std::string FactOf(const Outcome& outcome, const char* name) {
  const auto found = outcome.facts.find(name);
  return found == outcome.facts.end() ? "" : found->second;
}

}  // namespace

std::string KernelsKey(const std::vector<StepRecord>& steps, uint64_t model) {
  std::string text = std::to_string(model);
  for (const StepRecord& step : steps) {
    if (step.kernel.empty() && IsConvolution(step.op)) return "";
    text += "\n" + step.node + "\t" + step.op + "\t" + step.kernel + "\t" +
            step.schedule;
  }
  char key[32];
  std::snprintf(
      key, sizeof(key), "%016llx",
      static_cast<unsigned long long>(Checksum(
          {reinterpret_cast<const uint8_t*>(text.data()), text.size()})));
  return key;
}

std::optional<int64_t> CountForced(const std::vector<StepRecord>& steps) {
  int64_t forced = 0;
  bool says = false;
  for (const StepRecord& step : steps) {
    says = says || !step.reason.empty();
    forced += step.reason == "forced" ? 1 : 0;
  }
  return says ? std::optional(forced) : std::nullopt;
}

Result<std::optional<Outcome>> FindAlike(const Study& study, const Point& point,
                                         const Outcome& prepared,
                                         StudyDatabase* database) {
  const std::string kernels = FactOf(prepared, kKernelsFact);
  if (kernels.empty()) return std::optional<Outcome>();
  STINT_ASSIGN_OR_RETURN(const int64_t id, database->StudyId(study));
  for (const Setting& treatment : study.treatments) {
    if (ValueOf(treatment, "compression") !=
        ValueOf(point.treatment, "compression")) {
      continue;
    }
    auto found = database->Find(id, {point.round, point.condition, treatment});
    if (found.status().code() == StatusCode::kNotFound) continue;
    STINT_ASSIGN_OR_RETURN(Outcome outcome, std::move(found));
    if (!IsOwn(outcome) || FactOf(outcome, kKernelsFact) != kernels) continue;
    outcome.facts[kAlikeFact] =
        ValueOf(treatment, "primitive") + "/" + ValueOf(treatment, "code");
    outcome.samples.erase(kForcedSample);
    if (const auto forced = prepared.Sample(kForcedSample)) {
      outcome.samples[kForcedSample] = {*forced};
    }
    outcome.facts.erase(kSchedulesFact);
    if (const std::string own = FactOf(prepared, kSchedulesFact);
        !own.empty()) {
      outcome.facts[kSchedulesFact] = own;
    }
    return std::optional<Outcome>(std::move(outcome));
  }
  return std::optional<Outcome>();
}

PointRunner EvaluateOnce(const Study& study, const StackRunners& runners,
                         StudyDatabase* database) {
  return [=](const Point& point) -> Result<Outcome> {
    STINT_ASSIGN_OR_RETURN(const Outcome prepared, runners.prepare(point));
    if (!prepared.ok()) return prepared;
    STINT_ASSIGN_OR_RETURN(const std::optional<Outcome> alike,
                           FindAlike(study, point, prepared, database));
    if (alike) return *alike;
    return runners.evaluate(point, prepared);
  };
}

PointRunner EvaluateEach(const StackRunners& runners) {
  return [=](const Point& point) -> Result<Outcome> {
    STINT_ASSIGN_OR_RETURN(const Outcome prepared, runners.prepare(point));
    if (!prepared.ok()) return prepared;
    return runners.evaluate(point, prepared);
  };
}

}  // namespace stint
