#include "lab/elastic/eval_process.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "core/platform/file.h"
#include "core/platform/temporary_folder.h"
#include "engine/elastic/full/full_runner.h"
#include "engine/plan/plan_answers.h"
#include "lab/elastic/answers_study.h"
#include "lab/record/eval_record.h"
#include "lab/record/exit_codes.h"
#include "lab/record/words.h"

namespace stint {
namespace {

std::string NumberText(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%g", value);
  return text;
}

// Whether the point is only timed, and what its plan answers is evaluated
// apart. Runs in float32 have no plan to evaluate.
bool IsTimed(const ElasticStudyOptions& options, const Point& point) {
  return SharesAnswers(options) &&
         !IsFullPolicy(ValueOf(point.treatment, "policy"));
}

// A command of `stint eval` in the making.
class Command {
 public:
  Command(const ElasticStudyOptions& options, const std::string& model)
      : words_({options.stint_executable, "eval", model, "--task", options.task,
                "--data", options.data, "--format", "json", "--right"}) {}

  void Add(const std::string& option, const std::string& value) {
    if (value != kNoLimit) words_.insert(words_.end(), {option, value});
  }
  // Texts are cut and padded to `max_length` tokens (0: as they are); only the
  // first `rows` (0: all).
  void AddTexts(int64_t max_length, int64_t rows) {
    if (max_length > 0) {
      Add("--max-length", std::to_string(max_length));
      words_.emplace_back("--pad");
    }
    if (rows > 0) Add("--rows", std::to_string(rows));
  }
  Result<std::vector<std::string>> With(const std::string& compute) && {
    STINT_ASSIGN_OR_RETURN(const auto options, ComputeOptions(compute));
    words_.insert(words_.end(), options.begin(), options.end());
    return std::move(words_);
  }

 private:
  std::vector<std::string> words_;
};

}  // namespace

Result<std::vector<std::string>> ComputeOptions(const std::string& compute) {
  if (compute == "all") return std::vector<std::string>();
  const size_t dash = compute.find('-');
  const size_t word = compute.find("thread");
  if (dash != std::string::npos && word != std::string::npos && dash < word) {
    const std::string threads = compute.substr(dash + 1, word - dash - 1);
    int number = 0;
    const auto [rest, error] = std::from_chars(
        threads.data(), threads.data() + threads.size(), number);
    if (error == std::errc() && rest == threads.data() + threads.size() &&
        number > 0) {
      return std::vector<std::string>{"--isa", compute.substr(0, dash),
                                      "--threads", threads};
    }
  }
  return InvalidArgument("target '" + compute +
                         "', expected all or ISA-Nthread, as in avx2-1thread");
}

Result<std::vector<std::string>> EvalCommand(const ElasticStudyOptions& options,
                                             const Point& point) {
  Command command(options, ValueOf(point.condition, "model"));
  for (const char* axis : {"latency", "memory", "storage"}) {
    command.Add("--" + std::string(axis), ValueOf(point.condition, axis));
  }
  const std::string policy = ValueOf(point.treatment, "policy");
  command.Add("--policy", policy);
  if (IsFullPolicy(policy)) {
    const auto model = std::find(options.models.begin(), options.models.end(),
                                 ValueOf(point.condition, "model"));
    const auto at = static_cast<size_t>(model - options.models.begin());
    if (at < options.fulls.size()) command.Add("--full", options.fulls[at]);
  }
  command.Add("--percentile", NumberText(options.percentile));
  command.AddTexts(options.max_length,
                   IsTimed(options, point) ? options.runs : options.rows);
  return std::move(command).With(ValueOf(point.condition, "compute"));
}

Result<std::vector<std::string>> AnswerCommand(
    const ElasticStudyOptions& options, const Point& point,
    const std::string& plan_file) {
  Command command(options, ValueOf(point.condition, "model"));
  command.Add("--plan", plan_file);
  command.AddTexts(options.max_length, options.rows);
  return std::move(command).With(ValueOf(point.condition, "compute"));
}

Outcome EvalOutcome(const ProgramAnswer& answer) {
  Outcome outcome;
  outcome.samples["exit_code"] = {static_cast<double>(answer.exit.code)};
  if (!answer.exit.ok()) {
    outcome.status = answer.timed_out                      ? "timeout"
                     : answer.exit.signal != 0             ? "crashed"
                     : answer.exit.code == kExitInfeasible ? "infeasible"
                                                           : "failed";
    outcome.reason = answer.Reason();
    return outcome;
  }
  const auto record = ParseEvalRecord(answer.line);
  if (!record.ok()) {
    outcome.status = "failed";
    outcome.reason = record.status().message();
    return outcome;
  }
  for (const auto& [key, figure] : record->Samples()) {
    outcome.samples[key] = {figure};
  }
  outcome.facts["metric"] = record->metric;
  if (record->right) outcome.files[kRightFile] = *record->right;
  return outcome;
}

Result<Outcome> RunEval(const std::vector<std::string>& command,
                        double timeout_seconds) {
  STINT_ASSIGN_OR_RETURN(const ProgramAnswer answer,
                         RunProgram(command, timeout_seconds));
  return EvalOutcome(answer);
}

Status AddPlan(const std::string& text, Outcome* outcome) {
  STINT_ASSIGN_OR_RETURN(const SavedPlan saved, ParseSavedPlan(text));
  outcome->facts[kAnswersFact] = AnswersKey(saved);
  outcome->files[kPlanFile] = ToText(AnsweringPlan(saved));
  return OkStatus();
}

ElasticRunners EvalInProcesses(const ElasticStudyOptions& options) {
  ElasticRunners runners;
  runners.evaluate = [options](const Point& point) -> Result<Outcome> {
    STINT_ASSIGN_OR_RETURN(auto command, EvalCommand(options, point));
    if (!IsTimed(options, point)) {
      return RunEval(command, options.timeout_seconds);
    }
    STINT_ASSIGN_OR_RETURN(const auto folder, TemporaryFolder::Make());
    const std::string file = JoinPath(folder.path(), kPlanFile);
    command.insert(command.end(), {"--plan", file});
    STINT_ASSIGN_OR_RETURN(Outcome outcome,
                           RunEval(command, options.timeout_seconds));
    if (!outcome.ok()) return outcome;
    STINT_ASSIGN_OR_RETURN(const std::string text, ReadFile(file));
    STINT_RETURN_IF_ERROR(AddPlan(text, &outcome));
    return outcome;
  };
  runners.answer = [options](const Point& point,
                             const std::string& plan) -> Result<Outcome> {
    STINT_ASSIGN_OR_RETURN(const auto folder, TemporaryFolder::Make());
    const std::string file = JoinPath(folder.path(), kPlanFile);
    STINT_RETURN_IF_ERROR(WriteFileAtomically(file, plan));
    STINT_ASSIGN_OR_RETURN(const auto command,
                           AnswerCommand(options, point, file));
    return RunEval(command, options.timeout_seconds);
  };
  return runners;
}

}  // namespace stint
