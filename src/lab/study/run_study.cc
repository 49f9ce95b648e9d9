#include "lab/study/run_study.h"

#include "core/platform/command_line.h"
#include "core/platform/interrupt.h"
#include "core/platform/machine/machine_state.h"

namespace stint {
namespace {

// Runs the point and adds what disturbed the machine meanwhile, how it was set,
// and the command that asked for it.
Result<Outcome> RunObserved(const Study& study, const PointRunner& run,
                            const Point& point) {
  const DisturbanceCounters before = ReadDisturbance("");
  STINT_ASSIGN_OR_RETURN(Outcome outcome, run(point));
  const DisturbanceCounters after = ReadDisturbance("");
  outcome.samples["steal_ms"] = {after.steal_ms - before.steal_ms};
  outcome.samples["throttled_ms"] = {after.throttled_ms - before.throttled_ms};
  outcome.facts.merge(ReadMachineSettings(""));
  outcome.facts["command"] = OwnCommandText();
  if (!study.program.empty()) outcome.facts[kProgramFact] = study.program;
  return outcome;
}

// Whether the check of the point's treatment, in round 0, went well.
Result<bool> PassedCheck(int64_t study_id, const Point& point,
                         StudyDatabase* database) {
  Point check = point;
  check.round = 0;
  STINT_ASSIGN_OR_RETURN(const Outcome outcome,
                         database->Find(study_id, check));
  return outcome.ok();
}

// Whether the point still has to be run.
Result<bool> IsDue(const Study& study, int64_t study_id, const Point& point,
                   StudyDatabase* database) {
  STINT_ASSIGN_OR_RETURN(const bool settled,
                         database->IsSettled(study_id, point));
  if (settled) return false;
  if (point.round == 0 || !study.check_round) return true;
  return PassedCheck(study_id, point, database);
}

}  // namespace

Status CheckFresh(const Study& study, const std::string& path,
                  StudyDatabase* database) {
  STINT_ASSIGN_OR_RETURN(const int64_t id, database->StudyId(study));
  STINT_ASSIGN_OR_RETURN(const int64_t finished, database->CountFinished(id));
  if (finished == 0) return OkStatus();
  return InvalidArgument(path + ": has " + std::to_string(finished) +
                         " points of this study; --resume goes on with them, "
                         "another --db starts afresh");
}

Result<StudyCount> RunStudy(const Study& study, StudyDatabase* database,
                            const PointRunner& run,
                            const StudyProgress& progress) {
  STINT_ASSIGN_OR_RETURN(const int64_t id, database->StudyId(study));
  const std::vector<Point> points = Schedule(study);
  StudyCount count;
  count.points = static_cast<int64_t>(points.size());
  // A point during which Ctrl-C was pressed is not recorded: its process got
  // the signal, too.
  const InterruptGuard guard;
  int64_t visited = 0;
  for (const Point& point : points) {
    ++visited;
    STINT_ASSIGN_OR_RETURN(const bool due, IsDue(study, id, point, database));
    if (due) {
      STINT_ASSIGN_OR_RETURN(const Outcome outcome,
                             RunObserved(study, run, point));
      if (guard.interrupted()) return Cancelled("interrupted");
      STINT_RETURN_IF_ERROR(database->Record(id, point, outcome));
      progress(visited, count.points);
    }
    STINT_ASSIGN_OR_RETURN(const bool finished,
                           database->IsFinished(id, point));
    if (!finished) continue;
    STINT_ASSIGN_OR_RETURN(const Outcome outcome, database->Find(id, point));
    ++(IsFailure(outcome.status) ? count.failed : count.done);
  }
  return count;
}

}  // namespace stint
