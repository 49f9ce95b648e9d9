// stint study energy: what inference takes in several runtimes.

#include <CLI/CLI.hpp>

#include "cli/commands/study/study_commands.h"
#include "cli/options/energy_options.h"
#include "cli/options/run_options.h"
#include "cli/options/study_options.h"
#include "cli/terminal/progress.h"
#include "core/platform/process.h"
#include "lab/energy/energy_study.h"
#include "lab/report/study_json.h"

namespace stint::cli {
namespace {

struct EnergyCommandOptions {
  EnergyStudyOptions study;
  EnergyFlags flags;
  RunOptions run;
  bool quick = false;
};

const std::vector<std::string> kRuntimes = {
    "onnxruntime", "onnxruntime-openvino", "openvino",
    "pytorch",     "tensorflow",           "mxnet"};

Status Complete(EnergyCommandOptions* options) {
  EnergyStudyOptions& study = options->study;
  study.threads = options->run.ThreadCount();
  study.isa = options->run.isa;
  study.stint_executable = ExecutablePath();
  if (study.peers_folder.empty()) study.peers_folder = DefaultPeersFolder();
  if (study.runtimes.empty()) study.runtimes = kRuntimes;
  return FindModels(ModelNames::kFilesAndNetworks, &study.models);
}

int RunEnergy(EnergyCommandOptions* options) {
  const Status complete = Complete(options);
  if (!complete.ok()) return Fail(complete);
  auto recorder = EnergyRecorder::Make(options->flags.Options());
  if (!recorder.ok()) return Fail(recorder.status());
  FillEnergyOptions(options->quick, recorder->measures(), &options->study);
  PrintError("stint: energy grade %s, %s\n", recorder->meter().grade.c_str(),
             recorder->meter().source.c_str());
  NoteDatabase(options->study.database);
  Progress progress("study");
  const auto report = RunEnergyStudy(
      options->study, &*recorder,
      [&](int64_t done, int64_t total) { progress.Update(done, total); });
  if (!report.ok()) return Fail(report.status());
  PrintResult(options->run.format, EnergyStudyJson(*report),
              EnergySection(*report));
  PrintCount(report->count);
  return kExitOk;
}

}  // namespace

void AddEnergyStudy(CLI::App* studies, int* exit_code) {
  auto options = std::make_shared<EnergyCommandOptions>();
  EnergyStudyOptions* study = &options->study;
  CLI::App* command = studies->add_subcommand(
      "energy", "Time, CPU time and energy per inference in several runtimes");
  command->footer(
      "Examples:\n"
      "  stint study energy --quick --db energy.db\n"
      "  stint study energy --model resnet50 --batch 1,64 --against "
      "onnxruntime,mxnet");
  command
      ->add_option("--model", study->models,
                   "Networks as for framework-tax, or .onnx files")
      ->delimiter(',');
  command
      ->add_option("--against", study->runtimes,
                   "Runtimes with their modes, as pytorch:compiled")
      ->delimiter(',');
  command->add_option("--batch", study->batches, "Batch sizes")
      ->delimiter(',')
      ->check(CLI::Range(1, 65536));
  command->add_option("--seq", study->sequence, "Tokens of text models")
      ->check(CLI::Range(1, 512))
      ->capture_default_str();
  AddInputShapes(command, &study->input_shapes);
  options->flags.AddMeterTo(command);
  options->run.AddTo(command);
  AddTableFormat(command, &options->run.format);
  AddPeerFlags(command, &study->seconds, &study->peers_folder);
  AddQuick(command, &options->quick,
           "Two networks, batch 1 and 8, ten short rounds");
  StudyFlags::Of(study).AddTo(command,
                              "How often each point runs, in a fresh process");
  command->callback(
      [options, exit_code] { *exit_code = RunEnergy(options.get()); });
}

}  // namespace stint::cli
