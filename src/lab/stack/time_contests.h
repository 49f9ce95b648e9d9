#pragma once
// The rounds of a study across the stack after the first: what runs alike is
// timed, once for all, until its contests are decided.

#include "lab/stack/stack_report.h"
#include "lab/study/run_study.h"

namespace stint {

// By the rule of contest.h, or until `most_rounds` (the first included) are
// done; answers with how many that are. `study` has had its first round. Points
// that are in the database are not timed again.
Result<int> TimeContests(const Study& study, int most_rounds,
                         const PointRunner& time, StudyDatabase* database,
                         const StudyProgress& progress);

}  // namespace stint
