// stint study: experiments over many settings, with results in a database.

#include <CLI/CLI.hpp>

#include "cli/commands/study/study_commands.h"
#include "cli/options/run_options.h"
#include "core/platform/file.h"
#include "core/platform/process.h"
#include "lab/report/write_report.h"
#include "lab/study/merge_studies.h"

namespace stint::cli {
namespace {

// Everything goes into the first file.
int RunMerge(const std::vector<std::string>& files, const std::string& format) {
  if (!FileExists(files[0])) {
    return Fail(NotFound(files[0] + ": no such file"));
  }
  auto into = StudyDatabase::Open(files[0]);
  if (!into.ok()) return Fail(into.status());
  MergeCount total;
  for (size_t i = 1; i < files.size(); ++i) {
    const auto count = MergeStudies(files[i], &*into);
    if (!count.ok()) return Fail(count.status());
    total.added += count->added;
    total.present += count->present;
  }
  if (format == "json") {
    PrintJson({{"added", total.added}, {"present", total.present}});
  } else {
    Print("%lld points added to %s, %lld were there\n",
          static_cast<long long>(total.added), files[0].c_str(),
          static_cast<long long>(total.present));
  }
  return kExitOk;
}

}  // namespace

void AddInputShapes(CLI::App* command, InputShapes* shapes) {
  command->add_option_function<std::vector<std::string>>(
      "--input-shape",
      [shapes](const std::vector<std::string>& texts) {
        auto parsed = ParseInputShapes(texts);
        if (!parsed.ok()) {
          throw CLI::ValidationError("--input-shape",
                                     parsed.status().message());
        }
        *shapes = *std::move(parsed);
      },
      "Shape of an input with free dimensions: x=1x3x224x224; ? leaves one to "
      "--batch, --seq or the default; repeatable");
}

void AddStudyFormat(CLI::App* command, std::string* format) {
  if (CLI::Option* narrower = command->get_option_no_throw("--format")) {
    command->remove_option(narrower);
  }
  command->add_option("--format", *format, "How results are printed")
      ->check(CLI::IsMember({"table", "json", "csv", "md"}));
}

bool PrintSection(const std::string& format, const ReportSection& section) {
  if (format != "csv" && format != "md") return false;
  PrintText((format == "csv" ? SectionCsv(section) : SectionMarkdown(section)));
  return true;
}

std::string DefaultPeersFolder() {
  const std::string bin = DirectoryOf(ExecutablePath());
  const std::string installed = JoinPath(bin, "../share/stint/peers");
  return DirectoryExists(installed) ? installed : JoinPath(bin, "../peers");
}

void AddShard(CLI::App* command, CLI::Option* database, Shard* shard) {
  command
      ->add_option_function<std::string>(
          "--shard",
          [shard](const std::string& text) {
            const auto parsed = ParseShard(text);
            if (!parsed.ok()) {
              throw CLI::ValidationError("--shard", parsed.status().message());
            }
            *shard = *parsed;
          },
          "Run only part i of n, as 2/5; `stint study merge` puts parts "
          "together")
      ->needs(database);
}

void AddMergeStudies(CLI::App* studies, int* exit_code) {
  struct Options {
    std::vector<std::string> files;
    std::string format = "table";
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = studies->add_subcommand(
      "merge", "Put results of several machines or parts into the first file");
  command->footer("Examples:\n  stint study merge a.db b.db c.db");
  command->add_option("FILES", options->files, "Databases of studies")
      ->required()
      ->expected(2, 1000);
  command->add_option("--format", options->format, "How results are printed")
      ->check(CLI::IsMember({"table", "json"}));
  command->callback([options, exit_code] {
    *exit_code = RunMerge(options->files, options->format);
  });
}

void AddStudyCommand(CLI::App* app, int* exit_code) {
  CLI::App* command =
      app->add_subcommand("study", "Experiments over many settings");
  command->footer(
      "Examples:\n"
      "  stint study framework-tax --quick --db tax.db\n"
      "  stint study energy --quick --db energy.db\n"
      "  stint study elastic --data SST-2/dev.tsv.gz --quick -o quick.svg\n"
      "  stint study merge a.db b.db");
  command->require_subcommand(1);
  AddElasticStudy(command, exit_code);
  AddStackStudy(command, exit_code);
  AddTaxStudy(command, exit_code);
  AddEnergyStudy(command, exit_code);
  AddMergeStudies(command, exit_code);
}

}  // namespace stint::cli
