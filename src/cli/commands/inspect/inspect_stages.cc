#include <algorithm>

#include "api/convert/open_package.h"
#include "cli/commands/inspect/inspect_parts.h"
#include "cli/options/run_options.h"
#include "convert/passes/pipeline.h"
#include "lab/report/study_json.h"

namespace stint::cli {
namespace {

Table StagesTable(const std::vector<PassReport>& reports, size_t nodes) {
  const std::optional<double> none;
  Table table;
  table.columns = {"stage", "rewrites", "nodes", "pass_ms"};
  table.rows.push_back({"import", none, nodes, none});
  for (const PassReport& report : reports) {
    table.rows.push_back(
        {std::string(report.name), report.rewrites, report.nodes, report.ms});
  }
  return table;
}

// The import is no pass: it rewrites nothing and takes no time.
Json StagesJson(const Table& table) {
  Json stages = RowsJson(table);
  for (const char* key : {"rewrites", "pass_ms"}) stages[0].erase(key);
  return {{"stages", std::move(stages)}};
}

bool IsPass(const std::string& name) {
  const auto passes = AllPasses();
  return std::any_of(passes.begin(), passes.end(),
                     [&](const Pass& pass) { return pass.name == name; });
}

}  // namespace

int InspectStages(const ModelOptions& model, const std::string& after,
                  const std::string& format) {
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
  } else {
    const Table table = StagesTable(*reports, nodes);
    PrintResult(format, StagesJson(table), table);
  }
  return kExitOk;
}

}  // namespace stint::cli
