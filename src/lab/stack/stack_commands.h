#pragma once
// The commands that make up a point of a study across the stack.

#include <string>
#include <vector>

#include "lab/stack/stack_study.h"

namespace stint {

// Options of `stint compress` for a compression; kInvalidArgument when it is
// none.
Result<std::vector<std::string>> CompressOptionsOf(
    const std::string& compression);

// Whether a compressed model is computed in bf16.
bool IsBf16(const std::string& compression);

// How pictures become the model's input, as options of `stint eval`.
const std::vector<std::string>& PreprocessingOf(
    const StackStudyOptions& options, const std::string& model);

// What runs a point whose model is in `file`: this program, an emulator with
// another, or this program with the schedules that the point was tuned to.
std::vector<std::string> StackProgram(const StackStudyOptions& options,
                                      const Point& point,
                                      const std::string& file);

// The whole command that makes the compressed model `file`.
Result<std::vector<std::string>> StackCompressCommand(
    const StackStudyOptions& options, const std::string& model,
    const std::string& compression, const std::string& file);

// The whole command that evaluates a point, whose model is in `file`.
Result<std::vector<std::string>> StackEvalCommand(
    const StackStudyOptions& options, const Point& point,
    const std::string& file);

// The command that shows the steps of the same run.
Result<std::vector<std::string>> StackInspectCommand(
    const StackStudyOptions& options, const Point& point,
    const std::string& file);

// The command that tunes it before.
Result<std::vector<std::string>> StackTuneCommand(
    const StackStudyOptions& options, const Point& point,
    const std::string& file);

}  // namespace stint
