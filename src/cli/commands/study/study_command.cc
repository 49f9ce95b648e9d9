// stint study: experiments over many settings, with results in a database.

#include <CLI/CLI.hpp>

#include "cli/commands/commands.h"
#include "cli/commands/study/study_commands.h"
#include "cli/options/run_options.h"
#include "core/platform/file.h"
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

void AddMergeStudies(CLI::App* studies, int* exit_code) {
  struct Options {
    std::vector<std::string> files;
    std::string format = "table";
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = studies->add_subcommand(
      "merge", "Put results of several machines or parts into the first file");
  command->footer(
      "Examples:\n"
      "  stint study merge all.db laptop.db\n"
      "  stint study merge a.db b.db c.db");
  command->add_option("FILES", options->files, "Databases of studies")
      ->required()
      ->expected(2, 1000);
  AddFormat(command, &options->format);
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
