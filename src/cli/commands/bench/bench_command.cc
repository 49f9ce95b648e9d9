// stint bench: one model in several runtimes side by side.

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>

#include "cli/commands/bench/bench_parts.h"
#include "cli/commands/commands.h"
#include "cli/options/energy_options.h"
#include "cli/options/run_options.h"
#include "cli/options/study_options.h"
#include "cli/terminal/progress.h"
#include "core/platform/file.h"
#include "core/platform/process.h"
#include "lab/bench/bench_model.h"
#include "lab/record/words.h"
#include "lab/report/study_json.h"

namespace stint::cli {
namespace {

struct BenchCommandOptions {
  BenchOptions bench;
  bool null_kernels = false;
  bool mixed = false;
  RunOptions run;
  EnergyFlags energy;
};

// Only what stint itself did counts.
int CodeOf(const BenchReport& report) {
  int code = kExitOk;
  for (const BenchRow& row : report.rows) {
    if (row.runtime != "stint" || row.status == "ok") continue;
    if (row.status == "wrong") return kExitMismatch;
    if (row.status != "unsupported") code = kExitFailed;
  }
  return code;
}

int RunBenchCommand(BenchCommandOptions* options) {
  BenchOptions& bench = options->bench;
  bench.threads = options->run.ThreadCount();
  bench.isa = options->run.isa;
  bench.primitive = options->run.primitive;
  bench.schedule = options->run.schedule;
  if (options->run.device != RunOptions().device) {
    bench.device = options->run.device;
  }
  bench.stint_executable = ExecutablePath();
  if (options->null_kernels) return BenchTax(bench, options->run);
  if (options->mixed) return BenchLengths(bench, options->run);
  if (bench.peers_folder.empty()) bench.peers_folder = DefaultPeersFolder();
  std::error_code ignored;
  bench.model = std::filesystem::absolute(bench.model, ignored).string();
  std::optional<EnergyRecorder> recorder;
  if (options->energy.report) {
    auto made = EnergyRecorder::Make(options->energy.Options());
    if (!made.ok()) return Fail(made.status());
    recorder.emplace(std::move(*made));
    bench.energy = &*recorder;
    PrintError("stint: energy grade %s, %s\n", recorder->meter().grade.c_str(),
               recorder->meter().source.c_str());
  }
  Progress progress("bench");
  const auto report = BenchModel(bench, [&](int64_t done, int64_t total) {
    progress.Update(done, total);
  });
  if (!report.ok()) return Fail(report.status());
  PrintResult(options->run.format, BenchJson(*report), BenchSection(*report));
  return CodeOf(*report);
}

void AddStudyOptions(CLI::App* command, BenchOptions* bench) {
  command
      ->add_option("--rounds", bench->rounds,
                   "Rounds; in each every row runs in a fresh process")
      ->check(CLI::Range(1, 1000));
  command
      ->add_option("--seconds", bench->seconds,
                   "Seconds of timed runs per row and round")
      ->check(CLI::Range(0.001, 600.0));
  command
      ->add_option("--timeout", bench->timeout_seconds,
                   "Seconds to wait for an answer of a runtime")
      ->check(CLI::Range(0.1, 36000.0));
  command->add_option("--seed", bench->seed, "Seed of inputs and order");
  command->add_flag("--cold", bench->cold,
                    "Drop the model from the page cache before each process");
  command->add_option("--db", bench->database,
                      "Keep results here; what is there is not run again");
  command->add_option("--peers", bench->peers_folder,
                      "Folder with NAME_peer.py (default: the project's)");
}

}  // namespace

void AddBenchCommand(CLI::App* app, int* exit_code) {
  auto options = std::make_shared<BenchCommandOptions>();
  BenchOptions* bench = &options->bench;
  CLI::App* command =
      app->add_subcommand("bench", "Time a model beside other runtimes");
  command->footer(
      "Examples:\n"
      "  stint bench model.onnx --against onnxruntime,openvino\n"
      "  stint bench all-MiniLM-L6-v2/ --against onnxruntime --seq 16,128 "
      "--batch 1,8\n"
      "  stint bench model.onnx --null-kernels --threads 1   # our own tax\n"
      "  stint bench all-MiniLM-L6-v2/ --mixed --seq 8,16,24,32,64,128\n"
      "Other runtimes live in peers/; `make peers` installs them.");
  command
      ->add_option("MODEL", bench->model,
                   "An .onnx file, a .stint file or a Hugging Face folder")
      ->required();
  command->add_option("--against", bench->against, "Runtimes to compare with")
      ->delimiter(',')
      ->check([](const std::string& name) {
        return name == "stint" ? "stint is always there" : "";
      });
  command->add_option("--batch", bench->batches, "Batch sizes")
      ->delimiter(',')
      ->check(CLI::Range(1, 65536));
  command->add_option("--seq", bench->sequences, "Sequence lengths")
      ->delimiter(',')
      ->check(CLI::Range(1, 65536));
  AddInputShapes(command, &bench->input_shapes);
  command->add_option("--precision", bench->precisions, "Arithmetic")
      ->delimiter(',')
      ->check(CLI::IsMember(PrecisionWordsWithAuto()));
  command->add_flag(
      "--null-kernels", options->null_kernels,
      "Time the runtime alone: the same steps with empty kernels");
  command->add_flag("--mixed", options->mixed,
                    "Time changing lengths: all of --seq in random order "
                    "in one session, against each by itself");
  options->run.AddTo(command);
  AddTableFormat(command, &options->run.format);
  options->run.AddPrimitiveTo(command);
  options->run.AddDeviceTo(command);
  options->energy.AddTo(command);
  AddStudyOptions(command, bench);
  command->callback(
      [options, exit_code] { *exit_code = RunBenchCommand(options.get()); });
}

}  // namespace stint::cli
