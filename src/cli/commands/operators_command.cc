// stint operators: which ONNX operators can be imported, in which versions.

#include <CLI/CLI.hpp>

#include "cli/options/run_options.h"
#include "convert/onnx/adapters.h"

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
  for (const onnx::SupportedOperator& op : onnx::SupportedOperators()) {
    if (format == "json") {
      PrintJson({{"domain", std::string(op.domain)},
                 {"operator", std::string(op.name)},
                 {"versions", op.versions}});
    } else {
      const std::string name =
          op.domain.empty()
              ? std::string(op.name)
              : std::string(op.domain) + "." + std::string(op.name);
      Print("%-42s %s\n", name.c_str(), JoinVersions(op.versions).c_str());
    }
  }
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
  command->add_option("--format", *format, "How results are printed")
      ->check(CLI::IsMember({"table", "json"}));
  command->callback(
      [format, exit_code] { *exit_code = RunOperators(*format); });
}

}  // namespace stint::cli
