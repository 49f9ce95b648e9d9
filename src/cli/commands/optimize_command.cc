// stint optimize: the fastest form of a model at an accuracy.

#include <CLI/CLI.hpp>

#include "cli/commands/commands.h"
#include "cli/options/image_options.h"
#include "cli/options/run_options.h"
#include "cli/options/task_option.h"
#include "cli/terminal/progress.h"
#include "core/base/quantity.h"
#include "core/platform/cache_folder.h"
#include "core/platform/process.h"
#include "lab/optimize/optimize.h"
#include "lab/optimize/run_memory.h"
#include "lab/optimize/trainable_form.h"
#include "lab/report/study_json.h"
#include "lab/tune/tune_network.h"
#include "weights/package/package.h"

namespace stint::cli {
namespace {

struct OptimizeCommandOptions {
  ModelOptions model;
  RunOptions run;
  ImageOptions image;
  OptimizeOptions optimize;
  double min_accuracy = 0;  // percent
  std::string latency;
  std::string size;
  std::string memory;
  std::string work_memory;
  std::string tune_budget = "20s";
  std::string output;
  std::string trainable;
};

// The limits, and how memory is measured: in the form that is written.
Status TakeLimits(OptimizeCommandOptions* given) {
  OptimizeOptions& options = given->optimize;
  options.min_accuracy = given->min_accuracy / 100;
  if (!given->latency.empty()) {
    STINT_ASSIGN_OR_RETURN(const int64_t ns, ParseDurationNs(given->latency));
    if (ns == 0) return InvalidArgument("--latency 0: expected a time");
    options.max_ms = static_cast<double>(ns) * 1e-6;
  }
  if (!given->size.empty()) {
    STINT_ASSIGN_OR_RETURN(options.max_bytes, ParseBytes(given->size));
  }
  if (!given->work_memory.empty()) {
    STINT_ASSIGN_OR_RETURN(options.work_memory_bytes,
                           ParseBytes(given->work_memory));
  }
  if (given->memory.empty()) return OkStatus();
  STINT_ASSIGN_OR_RETURN(options.max_peak_bytes, ParseBytes(given->memory));
  MemoryProbe probe;
  probe.stint_executable = ExecutablePath();
  probe.package = !given->output.ends_with(".onnx");
  probe.options = {"--threads", std::to_string(given->run.ThreadCount())};
  if (!given->run.isa.empty()) {
    probe.options.insert(probe.options.end(), {"--isa", given->run.isa});
  }
  options.peak_memory = [probe](const Model& model,
                                const std::string& precision,
                                const std::vector<Value>& row) {
    return PeakMemoryOf(model, precision, row, probe);
  };
  return OkStatus();
}

// Schedules are kept as by `stint tune`.
Status TakeTuning(OptimizeCommandOptions* given) {
  STINT_ASSIGN_OR_RETURN(const int64_t budget_ns,
                         ParseDurationNs(given->tune_budget));
  const std::string folder = CacheFolder();
  if (budget_ns == 0 || folder.empty()) return OkStatus();
  given->optimize.tune = [given, folder, budget_ns](
                             const Model& fused, const std::vector<Value>& row,
                             double share) {
    ThreadPool pool(given->run.ThreadCount());
    TuneNetworkOptions tune;
    tune.site = given->run.Site();
    tune.pool = &pool;
    tune.budget_seconds = share * static_cast<double>(budget_ns) * 1e-9;
    tune.folder = folder;
    tune.progress = [given](const TuneProgress& progress) {
      given->optimize.progress("schedules", static_cast<int64_t>(progress.task),
                               static_cast<int64_t>(progress.tasks));
    };
    return TuneNetwork(*fused.package()->graph, row, tune).status();
  };
  return OkStatus();
}

Status WriteFiles(const OptimizeCommandOptions& given, const Model& model,
                  const OptimizeReport& report, const OptimizeRow& best) {
  if (!given.output.empty()) {
    STINT_RETURN_IF_ERROR(WriteModel(*report.model, given.output));
  }
  if (given.trainable.empty()) return OkStatus();
  STINT_ASSIGN_OR_RETURN(const Model trainable,
                         TrainableForm(model, given.optimize, best));
  return ExportOnnx(trainable, given.trainable).status();
}

void PrintFiles(const OptimizeCommandOptions& given, const OptimizeRow& best) {
  if (!given.output.empty()) {
    Print("%s%s\n", given.output.c_str(),
          best.precision == "fp32"
              ? ""
              : (": run it with --precision " + best.precision).c_str());
  }
  if (!given.trainable.empty()) {
    Print("%s: to be trained further\n", given.trainable.c_str());
  }
}

int RunOptimize(OptimizeCommandOptions* given) {
  OptimizeOptions& options = given->optimize;
  const Status limits = TakeLimits(given);
  if (!limits.ok()) return Fail(limits);
  const Status tuning = TakeTuning(given);
  if (!tuning.ok()) return Fail(tuning);
  options.preprocessing = given->image.given();
  if (options.calibration.data.empty()) {
    options.calibration.data = options.eval.data;
  }
  options.calibration.task = options.eval.task;
  ImportOptions import = given->model.import;
  import.optimize = false;
  const auto model = ImportModel(given->model.path, import);
  if (!model.ok()) return Fail(model.status());
  const auto runtime = given->run.MakeRuntime();
  if (!runtime.ok()) return Fail(runtime.status());
  std::optional<Progress> progress;
  std::string phase;
  options.progress = [&](const std::string& now, int64_t done, int64_t total) {
    if (now != phase) progress.emplace(phase = now);
    progress->Update(done, total);
  };
  const auto report = Optimize(*model, options, *runtime);
  progress.reset();
  if (!report.ok()) return Fail(report.status().Annotate(given->model.path));
  PrintResult(given->run.format, OptimizeJson(*report),
              OptimizeSection(*report));
  if (!report->best) {
    return Fail(BudgetInfeasible("nothing that was tried keeps all limits"));
  }
  const OptimizeRow& best = report->rows[*report->best];
  const Status written = WriteFiles(*given, *model, *report, best);
  if (!written.ok()) return Fail(written);
  if (given->run.format == "table") PrintFiles(*given, best);
  return kExitOk;
}

void AddData(CLI::App* command, OptimizeOptions* optimize) {
  AddTask(command, &optimize->eval.task, {"cifar10", "imagefolder"});
  CLI::Option* data = command->add_option("--data", optimize->eval.data,
                                          "Data to measure accuracy on");
  data->required();
  GuessByName(data, &optimize->eval.task);
  command->add_option("--rows", optimize->eval.max_rows,
                      "Evaluate only the first N rows of --data");
  command->add_option(
      "--calibrate", optimize->calibration.data,
      "Data to repair and calibrate with; labels are not used. Default: "
      "--data, which makes accuracy look a little better than it is");
  command
      ->add_option("--calibrate-rows", optimize->calibration.rows,
                   "How many first rows of --calibrate to use")
      ->default_val(kRepairRows);
}

void AddLimits(CLI::App* command, OptimizeCommandOptions* options) {
  command
      ->add_option("--min-accuracy", options->min_accuracy,
                   "Least accuracy, in percent")
      ->required()
      ->check(CLI::Range(0.0, 100.0));
  command->add_option("--latency", options->latency,
                      "Longest time of a run on one row, such as 20ms");
  command->add_option("--size", options->size,
                      "Largest model as ONNX, such as 200kB");
  command->add_option(
      "--memory", options->memory,
      "Most memory of a process that runs the form that -o names, "
      "such as 12MB");
  command->add_option("--work-memory", options->work_memory,
                      "Most memory for data between layers while repairing, "
                      "with the model: 2GB; less takes longer");
}

}  // namespace

void AddOptimizeCommand(CLI::App* app, int* exit_code) {
  auto options = std::make_shared<OptimizeCommandOptions>();
  CLI::App* command = app->add_subcommand(
      "optimize",
      "Find the fastest precision, sparsity and channels, layer by layer");
  command->footer(
      "Examples:\n"
      "  stint optimize model.onnx --data test_batch.bin.xz --min-accuracy 90\n"
      "  stint optimize resnet20.onnx --data test_batch.bin.xz \\\n"
      "      --calibrate data_batch_1.bin.xz --min-accuracy 90.7 \\\n"
      "      --scale 255 --mean 0.485,0.456,0.406 --std 0.229,0.224,0.225 \\\n"
      "      -o fast.stint");
  options->model.AddTo(command);
  AddData(command, &options->optimize);
  AddLimits(command, options.get());
  command
      ->add_option("--tune-budget", options->tune_budget,
                   "Time to tune layers in float, kept as by `stint tune`; "
                   "0s: use what is known")
      ->capture_default_str();
  command->add_option("-o,--output", options->output,
                      "Write the fastest: .onnx or .stint");
  command
      ->add_option("--trainable", options->trainable,
                   "Also write the choice before int8, for further "
                   "training, as F.onnx")
      ->check([](const std::string& path) {
        return path.ends_with(".onnx") ? "" : path + " must end in .onnx";
      });
  options->image.AddTo(command, "--image-size");
  options->run.AddTo(command);
  AddTableFormat(command, &options->run.format);
  command->callback(
      [options, exit_code] { *exit_code = RunOptimize(options.get()); });
}

}  // namespace stint::cli
