// stint study energy: what inference takes in several runtimes.

#include <CLI/CLI.hpp>
#include <filesystem>

#include "cli/commands/study/energy_table.h"
#include "cli/commands/study/study_commands.h"
#include "cli/options/energy_options.h"
#include "cli/options/run_options.h"
#include "cli/terminal/progress.h"
#include "core/platform/file.h"
#include "core/platform/process.h"
#include "lab/energy/energy_study.h"
#include "lab/report/sections.h"

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
  for (std::string& model : study.models) {
    if (!model.ends_with(".onnx")) continue;
    if (!FileExists(model)) return NotFound(model + ": no such file");
    std::error_code ignored;
    model = std::filesystem::absolute(model, ignored).string();
  }
  return OkStatus();
}

int RunEnergy(EnergyCommandOptions* options) {
  const Status complete = Complete(options);
  if (!complete.ok()) return Fail(complete);
  auto recorder = EnergyRecorder::Make(options->flags.Options());
  if (!recorder.ok()) return Fail(recorder.status());
  FillEnergyOptions(options->quick, recorder->measures(), &options->study);
  PrintError("stint: energy grade %s, %s\n", recorder->meter().grade.c_str(),
             recorder->meter().source.c_str());
  if (options->study.database.empty()) {
    PrintError("stint: results are not kept; --db F keeps them\n");
  }
  Progress progress("study");
  const auto report = RunEnergyStudy(
      options->study, &*recorder,
      [&](int64_t done, int64_t total) { progress.Update(done, total); });
  if (!report.ok()) return Fail(report.status());
  if (options->run.json()) {
    PrintJson(EnergyStudyJson(*report));
  } else if (!PrintSection(options->run.format, EnergySection(*report))) {
    PrintEnergyTable(*report);
  }
  return kExitOk;
}

void AddRunning(CLI::App* command, EnergyCommandOptions* options) {
  EnergyStudyOptions* study = &options->study;
  CLI::Option* database =
      command->add_option("--db", study->database, "Keep results here");
  command
      ->add_flag("--resume", study->resume,
                 "Go on with the points that --db does not have yet")
      ->needs(database);
  AddShard(command, database, &study->shard);
  command->add_flag(
      "--quick", options->quick,
      "Two networks, batch 1 and 8, ten short rounds, unless given");
  command
      ->add_option("--rounds", study->rounds,
                   "How often each point runs, in a fresh process")
      ->check(CLI::Range(1, 1000));
  command
      ->add_option("--seconds", study->seconds,
                   "Seconds of timed runs per point")
      ->check(CLI::Range(0.001, 3600.0));
  command
      ->add_option("--timeout", study->timeout_seconds,
                   "Seconds to wait for an answer of a runtime")
      ->check(CLI::Range(0.1, 36000.0));
  command->add_option("--seed", study->seed, "Makes weights, inputs and order");
  command->add_option("--peers", study->peers_folder,
                      "Folder with NAME_peer.py (default: the project's)");
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
  AddStudyFormat(command, &options->run.format);
  AddRunning(command, options.get());
  command->callback(
      [options, exit_code] { *exit_code = RunEnergy(options.get()); });
}

}  // namespace stint::cli
