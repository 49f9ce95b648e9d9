#include "cli/commands/inspect/inspect_kernels.h"

#include <algorithm>
#include <map>

#include "cli/options/run_options.h"

namespace stint::cli {
namespace {

// Enough for caches and pages to settle.
constexpr int kRuns = 5;

struct StepRow {
  StepTime time;
  double us = 0;  // the quickest run
  StepChoice choice;
};

Result<std::vector<StepRow>> RunSteps(const ModelOptions& options,
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
  std::vector<StepRow> rows;
  for (int i = 0; i < kRuns; ++i) {
    STINT_RETURN_IF_ERROR(session.Run(inputs).status());
    const std::vector<StepTime> times = session.StepTimes();
    rows.resize(times.size());
    for (size_t s = 0; s < times.size(); ++s) {
      const double us = times[s].end_us - times[s].start_us;
      rows[s].us = i == 0 ? us : std::min(rows[s].us, us);
      rows[s].time = times[s];
    }
  }
  std::map<std::string, StepChoice> choices;
  for (StepChoice& choice : session.StepChoices()) {
    choices[choice.node] = std::move(choice);
  }
  for (StepRow& row : rows) {
    const auto it = choices.find(row.time.node);
    if (it != choices.end()) row.choice = it->second;
  }
  ReportPrimitive(run.primitive, session.StepChoices());
  return rows;
}

Json ToJson(const std::vector<StepRow>& rows) {
  Json steps = Json::array();
  for (const StepRow& row : rows) {
    Json step = {
        {"node", row.time.node}, {"op", row.time.op}, {"run_us", row.us}};
    if (!row.choice.kernel.empty()) {
      step["kernel"] = row.choice.kernel;
      step["reason"] = row.choice.reason;
      step["detail"] = row.choice.detail;
      step["schedule"] = row.choice.schedule;
    }
    steps.push_back(std::move(step));
  }
  return {{"steps", steps}};
}

}  // namespace

int InspectKernels(const ModelOptions& model, const RunOptions& run,
                   const InputSizes& sizes) {
  const auto rows = RunSteps(model, run, sizes);
  if (!rows.ok()) return Fail(rows.status());
  if (run.json()) {
    PrintJson(ToJson(*rows));
    return kExitOk;
  }
  for (const StepRow& row : *rows) {
    Print("%9.1f us  %-18s %-24s", row.us, row.time.op.c_str(),
          row.time.node.c_str());
    if (!row.choice.kernel.empty()) {
      Print(" %s, %s", row.choice.kernel.c_str(), row.choice.reason.c_str());
    }
    Print("%s%s\n", row.choice.detail.empty() ? "" : ": ",
          row.choice.detail.c_str());
  }
  return kExitOk;
}

}  // namespace stint::cli
