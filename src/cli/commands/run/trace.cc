#include <map>

#include "cli/commands/run/run_parts.h"
#include "cli/options/run_options.h"
#include "core/platform/file.h"

namespace stint::cli {

Status WriteTrace(const Session& session, const std::string& path) {
  std::map<std::string, StepChoice> choices;
  for (StepChoice& choice : session.StepChoices()) {
    choices[choice.node] = std::move(choice);
  }
  Json events = Json::array();
  for (const StepTime& step : session.StepTimes()) {
    Json args = {{"op", step.op}};
    if (const auto it = choices.find(step.node); it != choices.end()) {
      args["kernel"] = it->second.kernel;
      args["reason"] = it->second.reason;
      args["detail"] = it->second.detail;
    }
    events.push_back({{"name", step.node},
                      {"cat", step.op},
                      {"ph", "X"},
                      {"ts", step.start_us},
                      {"dur", step.end_us - step.start_us},
                      {"pid", 1},
                      {"tid", 1},
                      {"args", std::move(args)}});
  }
  const Json trace = {{"traceEvents", events}, {"displayTimeUnit", "ms"}};
  return WriteFileAtomically(
      path, trace.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace stint::cli
