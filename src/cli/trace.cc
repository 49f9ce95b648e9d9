#include "cli/trace.h"

#include "cli/command.h"
#include "core/platform/file.h"

namespace stint::cli {

Status WriteTrace(const std::vector<StepTime>& steps, const std::string& path) {
  Json events = Json::array();
  for (const StepTime& step : steps) {
    events.push_back({{"name", step.node},
                      {"cat", step.op},
                      {"ph", "X"},
                      {"ts", step.start_us},
                      {"dur", step.end_us - step.start_us},
                      {"pid", 1},
                      {"tid", 1},
                      {"args", {{"op", step.op}}}});
  }
  const Json trace = {{"traceEvents", events}, {"displayTimeUnit", "ms"}};
  return WriteFileAtomically(
      path, trace.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace stint::cli
