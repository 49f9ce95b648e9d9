// stint check: conformance cases against their expected outputs.

#include <CLI/CLI.hpp>
#include <array>

#include "cli/commands/commands.h"
#include "cli/options/run_options.h"
#include "convert/evaluate/check_case.h"
#include "core/platform/cache_folder.h"
#include "lab/plot/plot.h"

namespace stint::cli {
namespace {

struct CheckOptions {
  std::vector<std::string> paths;
  Tolerance tolerance;
  RunOptions run;
};

// A line at once for people and as JSON; csv and md have the table at the end.
void PrintCase(const CheckCase& test, const CheckResult& result,
               const std::string& format, Table* table) {
  const std::string status(OutcomeName(result.outcome));
  table->rows.push_back(
      {test.name, status, result.reason, result.max_abs_error});
  if (format == "json") {
    Json line;
    line["case"] = test.name;
    line["status"] = status;
    line["reason"] = result.reason;
    line["max_abs_error"] = result.max_abs_error;
    PrintJson(line);
  } else if (format == "table") {
    Print("%-11s %s%s%s\n", status.c_str(), test.name.c_str(),
          result.reason.empty() ? "" : ": ", result.reason.c_str());
  }
}

void PrintSummary(const std::array<int, 4>& counts, const std::string& format,
                  Table table) {
  if (format == "csv" || format == "md") {
    return PrintResult(format, Json(), std::move(table));
  }
  if (format == "json") {
    Json line;
    for (int i = 0; i < 4; ++i) {
      line["summary"][std::string(OutcomeName(static_cast<CheckOutcome>(i)))] =
          counts[i];
    }
    PrintJson(line);
    return;
  }
  Print("%d passed, %d failed, %d unsupported, %d errors\n", counts[0],
        counts[1], counts[2], counts[3]);
}

int RunCheck(const CheckOptions& options) {
  std::vector<CheckCase> cases;
  for (const std::string& path : options.paths) {
    auto found = FindCases(path);
    if (!found.ok()) return Fail(found.status());
    cases.insert(cases.end(), found->begin(), found->end());
  }
  ThreadPool pool(options.run.ThreadCount());
  CheckSite site{options.run.Site(), &pool};
  if (options.run.device != RunOptions().device) {
    auto device = OpenClDevice::Open(options.run.device, {CacheFolder(), {}});
    if (!device.ok()) return Fail(device.status());
    site.opencl = *std::move(device);
  }
  std::array<int, 4> counts = {};
  std::vector<StepChoice> choices;
  Table table{{"case", "status", "reason", "max_abs_error"}, {}};
  for (const CheckCase& test : cases) {
    const CheckResult result = RunCase(test, options.tolerance, site);
    choices.insert(choices.end(), result.choices.begin(), result.choices.end());
    ++counts[static_cast<size_t>(result.outcome)];
    PrintCase(test, result, options.run.format, &table);
  }
  PrintSummary(counts, options.run.format, std::move(table));
  ReportPrimitive(options.run.primitive, choices);
  if (counts[1] > 0) return kExitMismatch;
  if (counts[3] > 0) return kExitFailed;
  return counts[2] > 0 ? kExitUnsupported : kExitOk;
}

}  // namespace

void AddCheckCommand(CLI::App* app, int* exit_code) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* command = app->add_subcommand(
      "check", "Compare a model's outputs with stored ones");
  command->footer(
      "Examples:\n"
      "  stint check case/            # model.onnx and test_data_set_0/\n"
      "  stint check onnx/node --format json");
  command
      ->add_option("CASE", options->paths, "Case folders, or folders of them")
      ->required();
  command->add_option("--rtol", options->tolerance.relative,
                      "Relative tolerance");
  command->add_option("--atol", options->tolerance.absolute,
                      "Absolute tolerance");
  options->run.AddTo(command);
  AddTableFormat(command, &options->run.format);
  options->run.AddPrimitiveTo(command);
  options->run.AddDeviceTo(command);
  command->callback([options, exit_code] { *exit_code = RunCheck(*options); });
}

}  // namespace stint::cli
