// stint operators: which ONNX operators can be imported, in which versions.

#include <CLI/CLI.hpp>

#include "cli/commands/commands.h"
#include "cli/options/run_options.h"
#include "convert/onnx/adapters.h"
#include "lab/plot/plot.h"

namespace stint::cli {
namespace {

std::string JoinVersions(const std::vector<int>& versions) {
  std::string text;
  for (int version : versions) {
    text += (text.empty() ? "" : ", ") + std::to_string(version);
  }
  return text.empty() ? "any" : text;
}

int RunOperators(const std::string& format) {
  Table table;
  table.columns = {"domain", "operator", "versions"};
  for (const onnx::SupportedOperator& op : onnx::SupportedOperators()) {
    if (format == "json") {
      PrintJson({{"domain", std::string(op.domain)},
                 {"operator", std::string(op.name)},
                 {"versions", op.versions}});
    }
    table.rows.push_back({std::string(op.domain), std::string(op.name),
                          JoinVersions(op.versions)});
  }
  if (format != "json") PrintResult(format, Json(), std::move(table));
  return kExitOk;
}

}  // namespace

void AddOperatorsCommand(CLI::App* app, int* exit_code) {
  auto format = std::make_shared<std::string>("table");
  CLI::App* command = app->add_subcommand(
      "operators", "List the ONNX operators that can be imported");
  command->footer(
      "Examples:\n"
      "  stint operators\n"
      "  stint operators --format json    # one object per line");
  AddTableFormat(command, format.get());
  command->callback(
      [format, exit_code] { *exit_code = RunOperators(*format); });
}

}  // namespace stint::cli
