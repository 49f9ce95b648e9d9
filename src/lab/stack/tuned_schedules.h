#pragma once
// The schedules of tuned points: a cache folder of their own for each
// compressed model and compute, beside it, so that a study that goes on
// elsewhere runs the same ones.

#include <string>

#include "lab/record/step_record.h"
#include "lab/stack/stack_study.h"

namespace stint {

// Fact of a tuned point: what its folder holds, as a checksum.
inline constexpr char kSchedulesFact[] = "schedules";

// The folder of a point whose compressed model is `file`; empty when the point
// is not tuned. It takes the place of $XDG_CACHE_HOME.
std::string ScheduleFolder(const Point& point, const std::string& file);

// Runs `stint tune` unless an earlier point did; the user's measured costs of
// kernels go into the folder first, as other codes go by them, too. Answers
// with kSchedulesFact; empty when the point is not tuned. kMismatch when the
// folder is not as tuning left it, kIo with its last words when tuning failed.
Result<std::string> TuneOnce(const StackStudyOptions& options,
                             const Point& point, const std::string& file);

// kMismatch when layers were tuned and none of the steps runs as they were.
Status CheckTuned(const Point& point, const std::string& file,
                  const std::vector<StepRecord>& steps);

}  // namespace stint
