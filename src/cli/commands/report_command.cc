// stint report: what databases of studies say, as a page or as tables.

#include <CLI/CLI.hpp>
#include <cstdio>

#include "cli/commands/commands.h"
#include "cli/options/run_options.h"
#include "core/base/printable.h"
#include "core/platform/file.h"
#include "core/platform/terminal.h"
#include "lab/report/write_report.h"

namespace stint::cli {
namespace {

constexpr int kColumnsWithoutTerminal = 100;

struct ReportCommandOptions {
  std::vector<std::string> files;
  std::string output;
  std::string format;  // empty: by the file's name, or text
};

std::string Write(const Report& report, const std::string& format) {
  if (format == "html") return ReportHtml(report);
  if (format == "md") return ReportMarkdown(report);
  if (format == "csv") return ReportCsv(report);
  if (format == "json") return ReportJson(report);
  const int columns = StdoutColumns();
  return ReportText(report, columns > 0 ? columns : kColumnsWithoutTerminal);
}

// A file's name says what it is; where it does not, --format does.
std::string FormatOf(const ReportCommandOptions& options) {
  constexpr const char* kNames[][2] = {{".html", "html"}, {".htm", "html"},
                                       {".md", "md"},     {".csv", "csv"},
                                       {".json", "json"}, {".txt", "text"}};
  for (const auto& [suffix, format] : kNames) {
    if (options.output.ends_with(suffix)) return format;
  }
  return options.format.empty() ? "html" : options.format;
}

void PrintSummary(const Report& report, const ReportCommandOptions& options,
                  size_t bytes) {
  if (options.format == "json") {
    PrintJson({{"points", report.points()},
               {"done", report.done()},
               {"failed", report.failed()},
               {"studies", report.studies.size()},
               {"bytes", bytes}});
    return;
  }
  Print("%s: %zu studies, %lld points, %lld done, %lld failed\n",
        options.output.c_str(), report.studies.size(),
        static_cast<long long>(report.points()),
        static_cast<long long>(report.done()),
        static_cast<long long>(report.failed()));
}

int RunReport(const ReportCommandOptions& options) {
  const auto report = MakeReport(options.files);
  if (!report.ok()) return Fail(report.status());
  if (options.output.empty()) {
    const std::string format = options.format.empty() ? "text" : options.format;
    std::string text = Write(*report, format);
    text = format == "json" ? PrintableJson(text) : Printable(text);
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() ||
        std::fflush(stdout) != 0) {
      return Fail(IoError("standard output: cannot write the report"));
    }
    return kExitOk;
  }
  const std::string content = Write(*report, FormatOf(options));
  const Status written = WriteFileAtomically(options.output, content);
  if (!written.ok()) return Fail(written);
  PrintSummary(*report, options, content.size());
  return kExitOk;
}

}  // namespace

void AddReportCommand(CLI::App* app, int* exit_code) {
  auto options = std::make_shared<ReportCommandOptions>();
  CLI::App* command =
      app->add_subcommand("report", "A page of what studies found");
  command->footer(
      "Examples:\n"
      "  stint report tax.db energy.db -o report.html\n"
      "  stint report tax.db                    # plots in the terminal");
  command
      ->add_option("DB", options->files,
                   "Databases of `stint study` and `stint bench`; they are "
                   "only read")
      ->required();
  command->add_option("-o", options->output,
                      "Write F.html (or .md, .csv, .json, .txt)");
  command
      ->add_option("--format", options->format,
                   "Without -o how the report is printed (default: text); with "
                   "it, json prints the counts as JSON")
      ->check(CLI::IsMember({"html", "md", "csv", "json", "text"}));
  command->callback([options, exit_code] { *exit_code = RunReport(*options); });
}

}  // namespace stint::cli
