#include "lab/stack/time_contests.h"

#include <algorithm>
#include <set>

#include "lab/stack/contest.h"
#include "lab/stack/find_flips.h"

namespace stint {
namespace {

Setting Joined(const Setting& condition, const Setting& treatment) {
  Setting both = condition;
  both.insert(both.end(), treatment.begin(), treatment.end());
  return both;
}

// The rounds after `done` up to `last`, of the rows alone.
Study RoundsOf(const Study& study, const StackReport& report,
               const std::vector<size_t>& rows, int done, int last) {
  std::set<Setting> due;
  for (const size_t row : rows) due.insert(report.rows[row].setting);
  Study timed = study;
  timed.first_round = done + 1;
  timed.rounds = last;
  timed.includes = [due](const Setting& condition, const Setting& treatment) {
    return due.contains(Joined(condition, treatment));
  };
  return timed;
}

}  // namespace

Result<int> TimeContests(const Study& study, int most_rounds,
                         const PointRunner& time, StudyDatabase* database,
                         const StudyProgress& progress) {
  Study so_far = study;
  so_far.rounds = 1;
  for (const int look : kTimingLooks) {
    const int last = std::min(1 + look, most_rounds);
    if (last <= so_far.rounds) break;
    STINT_ASSIGN_OR_RETURN(const StackReport report,
                           MakeStackReport(so_far, database));
    const auto rows = RowsToTime(report, /*first=*/so_far.rounds == 1);
    if (rows.empty()) break;
    const Study timed = RoundsOf(study, report, rows, so_far.rounds, last);
    STINT_RETURN_IF_ERROR(RunStudy(timed, database, time, progress).status());
    so_far.rounds = last;
  }
  return so_far.rounds;
}

}  // namespace stint
