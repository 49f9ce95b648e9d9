#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <utility>

#include "cli/commands/inspect/inspect_parts.h"
#include "cli/options/run_options.h"
#include "lab/plot/plot.h"
#include "lab/record/step_record.h"

namespace stint::cli {
namespace {

// Enough for caches and pages to settle.
constexpr int kRuns = 5;

Result<std::vector<StepRecord>> RunSteps(const ModelOptions& options,
                                         const RunOptions& run,
                                         const InputSizes& sizes) {
  STINT_ASSIGN_OR_RETURN(const Model model,
                         ImportModel(options.path, options.import));
  STINT_ASSIGN_OR_RETURN(const auto inputs, MakeInputs(model, sizes, 1));
  STINT_ASSIGN_OR_RETURN(const Runtime runtime, run.MakeRuntime());
  SessionOptions session_options = run.Session();
  session_options.profile = true;
  STINT_ASSIGN_OR_RETURN(Session session,
                         Session::Create(model, runtime, session_options));
  std::vector<StepRecord> steps;
  for (int i = 0; i < kRuns; ++i) {
    STINT_RETURN_IF_ERROR(session.Run(inputs).status());
    const std::vector<StepTime> times = session.StepTimes();
    steps.resize(times.size());
    for (size_t s = 0; s < times.size(); ++s) {
      const double us = times[s].end_us - times[s].start_us;
      steps[s].run_us = i == 0 ? us : std::min(steps[s].run_us, us);
      steps[s].node = times[s].node;
      steps[s].op = times[s].op;
    }
  }
  std::map<std::string, StepChoice> choices;
  for (StepChoice& choice : session.StepChoices()) {
    choices[choice.node] = std::move(choice);
  }
  for (StepRecord& step : steps) {
    const auto it = choices.find(step.node);
    if (it == choices.end()) continue;
    step.kernel = it->second.kernel;
    step.reason = it->second.reason;
    step.detail = it->second.detail;
    step.schedule = it->second.schedule;
    step.rule = it->second.rule;
    step.candidates = std::move(it->second.candidates);
  }
  ReportPrimitive(run.primitive, session.StepChoices());
  return steps;
}

// ", 15.0 us, weights 0.15 MB" without what is not known.
std::string CostOf(const KernelCandidate& candidate) {
  char text[64];
  std::string cost;
  if (candidate.us > 0) {
    std::snprintf(text, sizeof(text), ", %.1f us", candidate.us);
    cost += text;
  }
  if (candidate.weight_bytes > 0) {
    std::snprintf(text, sizeof(text), ", weights %.2f MB",
                  static_cast<double>(candidate.weight_bytes) * 1e-6);
    cost += text;
  }
  return cost;
}

// Why that kernel and none of the others. Kernels refused for the same reason,
// of which nothing else is known, share a line.
void PrintCandidates(const StepRecord& step) {
  if (step.kernel.empty()) return;
  Print("\n%s: %s: %s\n", step.node.c_str(), step.kernel.c_str(),
        step.rule.c_str());
  std::vector<std::pair<std::string, std::string>> lines;  // reason, names
  for (const KernelCandidate& candidate : step.candidates) {
    if (candidate.refused.empty()) continue;
    const std::string reason = candidate.refused + CostOf(candidate);
    const auto same =
        std::find_if(lines.begin(), lines.end(),
                     [&](const auto& line) { return line.first == reason; });
    if (same == lines.end()) {
      lines.emplace_back(reason, candidate.kernel);
    } else {
      same->second += ", " + candidate.kernel;
    }
  }
  for (const auto& [reason, names] : lines) {
    Print("  not %s: %s\n", names.c_str(), reason.c_str());
  }
}

}  // namespace

int InspectKernels(const ModelOptions& model, const RunOptions& run,
                   const InputSizes& sizes) {
  const auto steps = RunSteps(model, run, sizes);
  if (!steps.ok()) return Fail(steps.status());
  Table table;
  table.columns = {"run_us", "op", "node", "kernel", "reason", "detail"};
  for (const StepRecord& step : *steps) {
    table.rows.push_back({step.run_us, step.op, step.node, step.kernel,
                          step.reason, step.detail});
  }
  PrintResult(run.format, StepsJson(*steps), std::move(table));
  if (run.format == "table") {
    for (const StepRecord& step : *steps) PrintCandidates(step);
  }
  return kExitOk;
}

}  // namespace stint::cli
