#include "cli/inspect_kernels.h"

#include <algorithm>
#include <cstdio>
#include <map>

#include "cli/command.h"

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

// Without what is not known.
Json ToJson(const KernelCandidate& candidate) {
  Json json = {{"kernel", candidate.kernel}};
  if (candidate.us > 0) json["us"] = candidate.us;
  if (candidate.weight_bytes > 0) json["weight_bytes"] = candidate.weight_bytes;
  if (!candidate.refused.empty()) json["refused"] = candidate.refused;
  return json;
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
      step["rule"] = row.choice.rule;
      step["candidates"] = Json::array();
      for (const KernelCandidate& candidate : row.choice.candidates) {
        step["candidates"].push_back(ToJson(candidate));
      }
    }
    steps.push_back(std::move(step));
  }
  return {{"steps", steps}};
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
void PrintCandidates(const StepChoice& choice) {
  if (!choice.rule.empty()) Print("%16s%s\n", "", choice.rule.c_str());
  std::vector<std::pair<std::string, std::string>> lines;  // reason, names
  for (const KernelCandidate& candidate : choice.candidates) {
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
    Print("%16snot %s: %s\n", "", names.c_str(), reason.c_str());
  }
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
    PrintCandidates(row.choice);
  }
  return kExitOk;
}

}  // namespace stint::cli
