#include "cli/commands/inspect/inspect_stages.h"

#include <algorithm>

#include "api/convert/open_package.h"
#include "cli/options/run_options.h"
#include "convert/passes/pipeline.h"

namespace stint::cli {
namespace {

Json ToJson(const std::vector<PassReport>& reports, size_t nodes) {
  Json stages = Json::array();
  stages.push_back({{"stage", "import"}, {"nodes", nodes}});
  for (const PassReport& report : reports) {
    stages.push_back({{"stage", report.name},
                      {"rewrites", report.rewrites},
                      {"nodes", report.nodes},
                      {"pass_ms", report.ms}});
  }
  return {{"stages", stages}};
}

void PrintStages(const std::vector<PassReport>& reports, size_t nodes) {
  Print("%-16s %9s %7s %9s\n", "stage", "rewrites", "nodes", "time");
  Print("%-16s %9s %7zu\n", "import", "", nodes);
  for (const PassReport& report : reports) {
    Print("%-16.*s %9d %7lld %9s\n", static_cast<int>(report.name.size()),
          report.name.data(), report.rewrites,
          static_cast<long long>(report.nodes), FormatMs(report.ms).c_str());
  }
}

bool IsPass(const std::string& name) {
  const auto passes = AllPasses();
  return std::any_of(passes.begin(), passes.end(),
                     [&](const Pass& pass) { return pass.name == name; });
}

}  // namespace

int InspectStages(const ModelOptions& model, const std::string& after,
                  bool json) {
  auto package = OpenPackage(model.path, model.import);
  if (!package.ok()) return Fail(package.status());
  Graph* graph = package->graph.get();
  const size_t nodes = graph->order().size();
  PassOptions options;
  options.disabled = model.import.disabled_passes;
  if (!after.empty() && !IsPass(after)) {
    return Fail(InvalidArgument("no pass '" + after + "'; see --stages"));
  }
  if (!after.empty()) {
    bool past = false;
    for (const Pass& pass : AllPasses()) {
      if (past) options.disabled.insert(std::string(pass.name));
      past = past || pass.name == after;
    }
  }
  const auto reports = RunPasses(graph, options);
  if (!reports.ok()) return Fail(reports.status());
  if (!after.empty()) {
    Print("%s", DumpGraph(*graph).c_str());
  } else if (json) {
    PrintJson(ToJson(*reports, nodes));
  } else {
    PrintStages(*reports, nodes);
  }
  return kExitOk;
}

}  // namespace stint::cli
