// stint export: a model as an ONNX file.

#include <CLI/CLI.hpp>

#include "cli/commands/commands.h"
#include "cli/options/run_options.h"
#include "core/platform/clock.h"

namespace stint::cli {
namespace {

struct ExportOptions {
  ModelOptions model;
  std::string output;
  std::string format = "table";
};

int RunExport(const ExportOptions& options) {
  ImportOptions import = options.model.import;
  import.optimize = false;
  const auto opened = ImportModel(options.model.path, import);
  const auto model = opened.ok() ? opened->Restored() : opened;
  if (!model.ok()) return Fail(model.status());
  const auto report = ExportOnnx(*model, options.output);
  if (!report.ok()) return Fail(report.status());
  if (options.format == "json") {
    PrintJson({{"bytes", report->bytes}, {"nodes", report->nodes}});
  } else {
    Print("%s: %s, %lld nodes\n", options.output.c_str(),
          FormatBytes(report->bytes).c_str(),
          static_cast<long long>(report->nodes));
  }
  return kExitOk;
}

}  // namespace

void AddExportCommand(CLI::App* app, int* exit_code) {
  auto options = std::make_shared<ExportOptions>();
  CLI::App* command =
      app->add_subcommand("export", "Write a model as ONNX for other runtimes");
  command->footer(
      "Examples:\n"
      "  stint export all-MiniLM-L6-v2/ -o minilm.onnx\n"
      "  stint export model.stint -o model.onnx");
  options->model.AddTo(command);
  command->add_option("-o,--output", options->output, "The file to write")
      ->required();
  AddFormat(command, &options->format);
  command->callback([options, exit_code] { *exit_code = RunExport(*options); });
}

}  // namespace stint::cli
