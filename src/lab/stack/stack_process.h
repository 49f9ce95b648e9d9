#pragma once
// A point of a study across the stack as processes: `stint compress` once per
// model and compression, `stint tune` once per such model and compute, then
// `stint eval`.

#include <string>
#include <vector>

#include "lab/stack/stack_study.h"

namespace stint {

// Options of `stint compress` for a compression; kInvalidArgument when it is
// none.
Result<std::vector<std::string>> CompressOptionsOf(
    const std::string& compression);

// The whole command that evaluates a point, whose model is in `file`.
Result<std::vector<std::string>> StackEvalCommand(
    const StackStudyOptions& options, const Point& point,
    const std::string& file);

// The command that shows the steps of the same run.
std::vector<std::string> StackInspectCommand(
    const std::vector<std::string>& eval);

// The command that tunes it before.
Result<std::vector<std::string>> StackTuneCommand(
    const StackStudyOptions& options, const Point& point,
    const std::string& file);

// Runs points by starting the executable of the options; compressed models stay
// in `folder`. Samples are those of EvalOutcome, and model_bytes, parameters,
// nonzeros, parameters_before of the compressed model, and times of layers.
PointRunner StackInProcesses(const StackStudyOptions& options,
                             const std::string& folder);

}  // namespace stint
