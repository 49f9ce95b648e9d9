#pragma once
// Runs the points of a study that have no result in the database yet.

#include <cstdint>
#include <functional>

#include "lab/study/study.h"
#include "lab/study/study_database.h"

namespace stint {

// Fact of a point: Study::program.
inline constexpr char kProgramFact[] = "program";

struct StudyCount {
  int64_t points = 0;
  int64_t done = 0;    // recorded as no failure, earlier runs included
  int64_t failed = 0;  // recorded as a failure (IsFailure)
};

// Runs one point. What goes wrong with the point is in the outcome; an error
// ends the study (such as a full disk).
using PointRunner = std::function<Result<Outcome>(const Point&)>;
// Called after each point that was run; `done` counts those of earlier runs,
// too.
using StudyProgress = std::function<void(int64_t done, int64_t total)>;

// kInvalidArgument when the database, whose file is `path`, has points of the
// study.
Status CheckFresh(const Study& study, const std::string& path,
                  StudyDatabase* database);

// Points that failed in an earlier run are run again, kMostAttempts times at
// most in all. kCancelled on Ctrl-C, with everything recorded but the point
// that it fell into. Every outcome also gets steal_ms and throttled_ms (what
// others took of the machine meanwhile) and the machine's settings (kernel,
// governor, ...) and the command of this process as facts. A treatment that
// failed in round 0 of a condition is not run again under that condition: its
// later rounds are left out, not recorded.
Result<StudyCount> RunStudy(const Study& study, StudyDatabase* database,
                            const PointRunner& run,
                            const StudyProgress& progress);

}  // namespace stint
