// stint study elastic: elastic files within budgets.

#include <CLI/CLI.hpp>

#include "cli/commands/study/study_commands.h"
#include "cli/options/run_options.h"
#include "cli/options/study_options.h"
#include "cli/terminal/progress.h"
#include "core/platform/file.h"
#include "core/platform/process.h"
#include "lab/elastic/accuracy_chart.h"
#include "lab/elastic/elastic_study.h"
#include "lab/elastic/eval_process.h"
#include "lab/record/words.h"
#include "lab/report/study_json.h"

namespace stint::cli {
namespace {

struct StudyCommandOptions {
  ElasticStudyOptions elastic;
  bool quick = false;
  std::string picture;
  std::string format = "table";
};

// The project's own model, beside the build folder or, when installed, under
// share; empty when there is none.
std::string DefaultModel() {
  const std::string bin = DirectoryOf(ExecutablePath());
  for (const char* folder : {"../models", "../share/stint/models"}) {
    const std::string path =
        JoinPath(JoinPath(bin, folder), "sst2-minilm.stint");
    if (FileExists(path)) return path;
  }
  return "";
}

Status FillModels(ElasticStudyOptions* elastic) {
  if (elastic->models.empty()) {
    const std::string model = DefaultModel();
    if (model.empty()) {
      return InvalidArgument(
          "no --model given, and no sst2-minilm.stint in "
          "the project's models");
    }
    elastic->models = {model};
  }
  for (auto* files : {&elastic->models, &elastic->fulls}) {
    STINT_RETURN_IF_ERROR(FindModels(ModelNames::kFiles, files));
  }
  if (!FileExists(elastic->data)) {
    return NotFound(elastic->data + ": no such file");
  }
  return OkStatus();
}

Result<ElasticReport> Run(StudyCommandOptions* options) {
  ElasticStudyOptions& elastic = options->elastic;
  STINT_RETURN_IF_ERROR(FillModels(&elastic));
  FillGrid(options->quick, &elastic);
  elastic.stint_executable = ExecutablePath();
  NoteDatabase(elastic.database);
  Progress progress("study");
  return RunElasticStudy(
      elastic, EvalInProcesses(elastic),
      [&](int64_t done, int64_t total) { progress.Update(done, total); });
}

int RunElastic(StudyCommandOptions* options) {
  const auto report = Run(options);
  if (!report.ok()) return Fail(report.status());
  if (!options->picture.empty()) {
    const Status written =
        WriteFileAtomically(options->picture, AccuracyChart(*report));
    if (!written.ok()) return Fail(written);
  }
  PrintResult(options->format, ElasticJson(*report), ElasticSection(*report));
  PrintCount(report->count);
  return report->count.failed > 0 ? kExitFailed : kExitOk;
}

void AddAxes(CLI::App* command, ElasticStudyOptions* elastic) {
  command->add_option("--model", elastic->models,
                      "Elastic .stint files (default: the project's own)");
  command
      ->add_option("--latency", elastic->latencies,
                   "Budgets such as 10ms,20ms; none: no limit")
      ->delimiter(',');
  command
      ->add_option("--memory", elastic->memories,
                   "Budgets such as 8MB,16MB; none: no limit")
      ->delimiter(',');
  command->add_option("--storage", elastic->storages,
                      "Storage to imitate, such as 80MB/s,100us; repeat for "
                      "several; none: as it is");
  command
      ->add_option("--policy", elastic->policies,
                   std::string(kPolicyForms) + "; B of 32 with --full")
      ->delimiter(',');
  command->add_option("--full", elastic->fulls,
                      "A plain package of each model, for policies of 32 bits");
  command
      ->add_option("--target", elastic->computes,
                   "all, or instruction set and threads as avx2-1thread")
      ->delimiter(',');
}

void AddEvaluation(CLI::App* command, ElasticStudyOptions* elastic) {
  command->add_option("--task", elastic->task, "What the data set is")
      ->capture_default_str();
  command->add_option("--data", elastic->data, "The data set, as for eval")
      ->required();
  command
      ->add_option("--max-length", elastic->max_length,
                   "Cut and pad texts to this many tokens; 0: as they are")
      ->check(CLI::Range(0, 65536))
      ->capture_default_str();
  command->add_option("--rows", elastic->rows, "Evaluate only the first N rows")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40));
  CLI::Option* runs =
      command
          ->add_option("--runs", elastic->runs,
                       "Rows that a point is timed on; what its plan answers "
                       "is evaluated once for all points that answer alike")
          ->check(CLI::Range(int64_t{1}, int64_t{1} << 40))
          ->capture_default_str();
  command
      ->add_flag_callback(
          "--exact", [elastic] { elastic->runs = 0; },
          "Evaluate every point by itself, on all rows")
      ->excludes(runs);
  command
      ->add_option("--percentile", elastic->percentile,
                   "Share of runs that keep the latency")
      ->check(CLI::Range(50.0, 99.9))
      ->capture_default_str();
}

}  // namespace

void AddElasticStudy(CLI::App* studies, int* exit_code) {
  auto options = std::make_shared<StudyCommandOptions>();
  CLI::App* elastic = studies->add_subcommand(
      "elastic",
      "Accuracy, latency and memory of elastic files within budgets, by "
      "policy");
  elastic->footer(
      "Examples:\n"
      "  stint study elastic --data SST-2/dev.tsv.gz --quick -o quick.svg\n"
      "  stint study elastic --model m.stint --data SST-2/dev.tsv.gz \\\n"
      "      --latency 10ms,20ms --memory 8MB --storage 80MB/s,100us \\\n"
      "      --policy elastic,sti --target all --db grid.db --resume");
  AddAxes(elastic, &options->elastic);
  AddEvaluation(elastic, &options->elastic);
  AddQuick(elastic, &options->quick, "Few rows and 2 x 2 budgets");
  StudyFlags::Of(&options->elastic)
      .AddTo(elastic, "How often each point runs, in random order");
  elastic->add_option("-o", options->picture,
                      "Draw accuracy against latency as F.svg");
  AddTableFormat(elastic, &options->format);
  elastic->callback(
      [options, exit_code] { *exit_code = RunElastic(options.get()); });
}

}  // namespace stint::cli
