// The stint command line: one file per sub-command, this one puts them
// together.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <sstream>
#include <string_view>

#include "cli/commands/study/study_commands.h"
#include "cli/options/opencl_twin.h"
#include "cli/options/run_options.h"
#include "cli/terminal/version.h"
#include "core/platform/program_pages.h"

namespace {

std::string VersionText() {
  return "stint " + stint::cli::Version() +
         " isa=" + std::string(stint::IsaName(stint::DetectIsa()));
}

struct Command {
  const char* name;
  void (*add)(CLI::App* app, int* exit_code);
  bool within_budget = false;  // counts every page of the process
};
constexpr Command kCommands[] = {
    {"inspect", stint::cli::AddInspectCommand},
    {"run", stint::cli::AddRunCommand, true},
    {"eval", stint::cli::AddEvalCommand, true},
    {"check", stint::cli::AddCheckCommand},
    {"export", stint::cli::AddExportCommand},
    {"plan", stint::cli::AddPlanCommand, true},
    {"compress", stint::cli::AddCompressCommand},
    {"optimize", stint::cli::AddOptimizeCommand},
    {"pack", stint::cli::AddPackCommand},
    {"bench", stint::cli::AddBenchCommand},
    {"study", stint::cli::AddStudyCommand},
    {"report", stint::cli::AddReportCommand},
    {"device", stint::cli::AddDeviceCommand},
    {"tune", stint::cli::AddTuneCommand},
    {"peer", stint::cli::AddPeerCommand},
    {"operators", stint::cli::AddOperatorsCommand},
};

// Options of other commands than the asked one would only cost memory.
void AddCommands(std::string_view asked, CLI::App* app, int* exit_code) {
  for (const Command& command : kCommands) {
    if (command.name != asked) continue;
    if (command.within_budget) {
      stint::KeepHeapSmall();
      stint::ReleaseProgramPages();
    }
    return command.add(app, exit_code);
  }
  for (const Command& command : kCommands) command.add(app, exit_code);
}

}  // namespace

int main(int argc, char** argv) {
  // The parser would throw to say that this is all, and the tables for one
  // exception are as large as a small model.
  if (argc == 2 && std::string_view(argv[1]) == "--version") {
    return std::puts(VersionText().c_str()) < 0 ? 1 : stint::cli::kExitOk;
  }
  if (stint::cli::AsksForOpenCl(argc, argv)) {
    const int failed = stint::cli::BecomeOpenClTwin(argv);
    if (failed != stint::cli::kExitOk) return failed;
  }
  CLI::App app("Runs neural networks within a budget.");
  app.footer(
      "Examples:\n"
      "  stint inspect model.onnx\n"
      "  stint run model/ --text \"a gripping, funny film\"\n"
      "  stint COMMAND --help shows more");
  app.set_version_flag("--version", VersionText());
  app.require_subcommand(1);
  int exit_code = stint::cli::kExitOk;
  AddCommands(argc > 1 ? argv[1] : "", &app, &exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream out;
    std::ostringstream err;  // quotes the command line
    const int code = app.exit(error, out, err);
    stint::cli::PrintText(out.str());
    stint::cli::PrintError("%s", err.str().c_str());
    return code == 0 ? stint::cli::kExitOk : stint::cli::kExitUsage;
  }
  return exit_code;
}
