#include "lab/elastic/answers_study.h"

#include "lab/elastic/elastic_report.h"

namespace stint {
namespace {

// What evaluating all rows gives; the rest is measured by the timed runs.
constexpr const char* kAnswerSamples[] = {"value", "correct", "total"};

Setting ConditionOf(const Point& point, const std::string& answers) {
  return {{"model", ValueOf(point.condition, "model")},
          {"compute", ValueOf(point.condition, "compute")},
          {kAnswersFact, answers}};
}

}  // namespace

Result<PlansToAnswer> FindPlans(const Study& timing, StudyDatabase* database) {
  STINT_ASSIGN_OR_RETURN(const int64_t id, database->StudyId(timing));
  PlansToAnswer plans;
  for (const Point& point : Schedule(timing)) {
    STINT_ASSIGN_OR_RETURN(const bool finished,
                           database->IsFinished(id, point));
    if (!finished) continue;
    STINT_ASSIGN_OR_RETURN(const Outcome outcome, database->Find(id, point));
    const auto answers = outcome.facts.find(kAnswersFact);
    const auto plan = outcome.files.find(kPlanFile);
    if (answers == outcome.facts.end() || plan == outcome.files.end()) continue;
    plans[ConditionOf(point, answers->second)] = plan->second;
  }
  return plans;
}

Study AnswersStudy(const Study& timing, const PlansToAnswer& plans) {
  Study study;
  study.name = timing.name + "-answers";
  study.definition = timing.definition;
  study.seed = timing.seed;
  for (const auto& [condition, plan] : plans) {
    study.conditions.push_back(condition);
  }
  study.treatments = {{}};
  study.check_round = false;
  return study;
}

Status JoinAnswers(const Study& timing, const Point& point,
                   StudyDatabase* database, Outcome* outcome) {
  const auto answers = outcome->facts.find(kAnswersFact);
  if (!outcome->ok() || answers == outcome->facts.end()) return OkStatus();
  STINT_ASSIGN_OR_RETURN(const int64_t id,
                         database->StudyId(AnswersStudy(timing, {})));
  const auto found =
      database->Find(id, {1, ConditionOf(point, answers->second), {}});
  if (!found.ok() && found.status().code() != StatusCode::kNotFound) {
    return found.status();
  }
  if (!found.ok() || !found->ok()) {
    outcome->status = "failed";
    outcome->reason = "answers " + answers->second + ": " +
                      (found.ok() ? found->reason : "not evaluated");
    return OkStatus();
  }
  for (const char* name : kAnswerSamples) {
    if (const auto value = found->Sample(name)) {
      outcome->samples[name] = {*value};
    }
  }
  if (const auto right = found->files.find(kRightFile);
      right != found->files.end()) {
    outcome->files[kRightFile] = right->second;
  }
  return OkStatus();
}

}  // namespace stint
