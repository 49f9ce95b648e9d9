// The stint command line: one file per sub-command, this one puts them
// together.

#include <CLI/CLI.hpp>
#include <cstdio>

#include "cli/command.h"
#include "cli/version.h"

namespace {

std::string VersionText() {
  return "stint " + stint::cli::Version() +
         " isa=" + std::string(stint::IsaName(stint::DetectIsa()));
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Runs neural networks within a budget.");
  app.footer(
      "Examples:\n"
      "  stint inspect model.onnx\n"
      "  stint run model/ --text \"a gripping, funny film\"\n"
      "  stint COMMAND --help shows more");
  app.set_version_flag("--version", VersionText());
  app.require_subcommand(1);
  int exit_code = stint::cli::kExitOk;
  stint::cli::AddInspectCommand(&app, &exit_code);
  stint::cli::AddRunCommand(&app, &exit_code);
  stint::cli::AddEvalCommand(&app, &exit_code);
  stint::cli::AddCheckCommand(&app, &exit_code);
  stint::cli::AddExportCommand(&app, &exit_code);
  stint::cli::AddPlanCommand(&app, &exit_code);
  stint::cli::AddPackCommand(&app, &exit_code);
  stint::cli::AddBenchCommand(&app, &exit_code);
  stint::cli::AddStudyCommand(&app, &exit_code);
  stint::cli::AddDeviceCommand(&app, &exit_code);
  stint::cli::AddPeerCommand(&app, &exit_code);
  stint::cli::AddOperatorsCommand(&app, &exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? stint::cli::kExitOk : stint::cli::kExitUsage;
  }
  return exit_code;
}
