#pragma once
// A point of an elastic study as a process: `stint eval` with its options, and
// what it printed as an outcome.

#include <string>
#include <vector>

#include "lab/elastic/elastic_study.h"
#include "lab/study/run_program.h"

namespace stint {

// Options of `stint eval` for "all" (none) or ISA-Nthread ("avx2-1thread").
Result<std::vector<std::string>> ComputeOptions(const std::string& compute);

// The whole command of a point that is evaluated by itself, or timed.
Result<std::vector<std::string>> EvalCommand(const ElasticStudyOptions& options,
                                             const Point& point);
// The whole command of a point of AnswersStudy, whose plan is in a file.
Result<std::vector<std::string>> AnswerCommand(
    const ElasticStudyOptions& options, const Point& point,
    const std::string& plan_file);

// Of `stint eval --right`, which answers with a line of JSON. Samples are those
// of EvalRecord and exit_code. kExitInfeasible is "infeasible", with the last
// line of the errors as its reason. The file kRightFile says which rows
// were right.
Outcome EvalOutcome(const ProgramAnswer& answer);
Result<Outcome> RunEval(const std::vector<std::string>& command,
                        double timeout_seconds);

// Adds the text of the plan that a timed process saved: what it answers is
// evaluated apart. kDamaged when it cannot be read.
Status AddPlan(const std::string& text, Outcome* outcome);

// Runs points by starting the executable of the options.
ElasticRunners EvalInProcesses(const ElasticStudyOptions& options);

}  // namespace stint
