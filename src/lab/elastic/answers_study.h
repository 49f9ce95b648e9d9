#pragma once
// The answers of plans, evaluated once for all points of an elastic study whose
// plans answer alike (engine/plan/plan_answers.h). They are a study of their
// own in the same database.
//
// What counts for a point is the plan in force at the end of its timed runs;
// its sample `replans` says how often there was another before.

#include <map>
#include <string>

#include "lab/study/run_study.h"

namespace stint {

// Fact of an outcome: which plans answer alike. File: such a plan, in memory.
inline constexpr char kAnswersFact[] = "answers";
inline constexpr char kPlanFile[] = "plan";

// Plans by condition: model, compute and answers.
using PlansToAnswer = std::map<Setting, std::string>;

// Of the points of `timing` that have run.
Result<PlansToAnswer> FindPlans(const Study& timing, StudyDatabase* database);

// Its condition is that of a plan; it has one treatment, which is empty, and
// one round.
Study AnswersStudy(const Study& timing, const PlansToAnswer& plans);

// Puts what all rows gave in the place of what the timed rows gave, for an
// outcome whose answers are evaluated apart; others stay. Without that
// evaluation the outcome fails.
Status JoinAnswers(const Study& timing, const Point& point,
                   StudyDatabase* database, Outcome* outcome);

}  // namespace stint
