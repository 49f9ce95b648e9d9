// stint tune: finds schedules for the convolutions of a model.

#include <CLI/CLI.hpp>
#include <cstdio>

#include "cli/commands/commands.h"
#include "cli/options/run_options.h"
#include "cli/options/study_options.h"
#include "core/base/quantity.h"
#include "core/platform/cache_folder.h"
#include "core/platform/clock.h"
#include "core/platform/interrupt.h"
#include "core/platform/terminal.h"
#include "lab/peers/make_inputs.h"
#include "lab/record/model_record.h"
#include "lab/report/report.h"
#include "lab/tune/tune_network.h"
#include "weights/package/package.h"

namespace stint::cli {
namespace {

struct TuneCommandOptions {
  RunOptions run;
  ModelOptions model;
  int64_t batch = 1;
  InputShapes input_shapes;
  int trials = TuneNetworkOptions().trials;
  std::string budget = "10m";
  uint64_t seed = 1;
};

// "[task 3/15] best 0.123 ms (40/1000)": in place on a terminal, elsewhere a
// line every few seconds.
class TaskLine {
 public:
  void Update(const TuneProgress& progress) {
    constexpr double kLineMs = 5000;
    const bool in_place = StderrIsTerminal();
    if (!in_place && shown_ns_ != 0 && MsSince(shown_ns_) < kLineMs) return;
    shown_ns_ = NowNs();
    std::fprintf(stderr, "%s[task %zu/%zu] best %.3f ms (%d/%d)%s",
                 in_place ? "\r\033[K" : "", progress.task, progress.tasks,
                 progress.best_ms, progress.trials, progress.most_trials,
                 in_place ? "" : "\n");
    std::fflush(stderr);
  }
  ~TaskLine() {
    if (StderrIsTerminal() && shown_ns_ != 0) std::fprintf(stderr, "\n");
  }

 private:
  int64_t shown_ns_ = 0;
};

Result<TuneReport> Tune(const TuneCommandOptions& options) {
  STINT_ASSIGN_OR_RETURN(const int64_t budget_ns,
                         ParseDurationNs(options.budget));
  const std::string folder = CacheFolder();
  if (folder.empty()) {
    return NotFound("no cache folder: set HOME or XDG_CACHE_HOME");
  }
  STINT_ASSIGN_OR_RETURN(const Model opened,
                         ImportModel(options.model.path, options.model.import));
  STINT_ASSIGN_OR_RETURN(const Model model, opened.Restored());
  STINT_ASSIGN_OR_RETURN(
      const auto named,
      MakeInputs(model,
                 {.batch = options.batch, .shapes = options.input_shapes}, 1));
  std::vector<Value> inputs;
  for (const NamedValue& input : named) inputs.push_back(input.value);
  ThreadPool pool(options.run.ThreadCount());
  const InterruptGuard interrupt;
  TaskLine line;
  TuneNetworkOptions tune;
  tune.site = options.run.Site();
  tune.pool = &pool;
  tune.budget_seconds = static_cast<double>(budget_ns) * 1e-9;
  tune.trials = options.trials;
  tune.seed = options.seed;
  tune.folder = folder;
  tune.interrupted = [&] { return interrupt.interrupted(); };
  tune.progress = [&](const TuneProgress& progress) { line.Update(progress); };
  return TuneNetwork(*model.package()->graph, std::move(inputs), tune);
}

Json ToJson(const TuneReport& report) {
  Json layers = Json::array();
  for (const TunedLayerReport& layer : report.layers) {
    AddRecord(TunedLayerRecord{layer.layer, layer.count, layer.trials,
                               layer.untuned_us, layer.default_us,
                               layer.tuned_us, layer.plan},
              &layers.emplace_back());
  }
  return {{"untuned_ms", report.untuned_ms},
          {"default_ms", report.default_ms},
          {"tuned_ms", report.tuned_ms},
          {"trials", report.trials},
          {"seconds", report.seconds},
          {"interrupted", report.interrupted},
          {"note", report.note},
          {kLayersKey, layers}};
}

ReportSection Section(const TuneReport& report) {
  Figure figure;
  figure.caption = "Times are those in a run of the network.";
  figure.table.columns = {"count",      "layer",    "untuned_us",
                          "default_us", "tuned_us", "schedule"};
  for (const TunedLayerReport& layer : report.layers) {
    figure.table.rows.push_back(
        {layer.count, layer.layer, layer.untuned_us, layer.default_us,
         layer.tuned_us, layer.plan.empty() ? "as by default" : layer.plan});
  }
  char text[200];
  std::snprintf(text, sizeof(text),
                "network: untuned %.3f ms, default %.3f ms, tuned %.3f ms: "
                "%.2fx of untuned, %.2fx of default; %d trials in %.0f s",
                report.untuned_ms, report.default_ms, report.tuned_ms,
                report.tuned_ms / report.untuned_ms,
                report.tuned_ms / report.default_ms, report.trials,
                report.seconds);
  ReportSection section;
  section.findings = {text};
  section.figures.push_back(std::move(figure));
  return section;
}

int RunTune(const TuneCommandOptions& options) {
  const auto report = Tune(options);
  if (!report.ok()) return Fail(report.status());
  if (!report->note.empty()) {
    PrintError("stint: compiled kernels only: %s\n", report->note.c_str());
  }
  if (report->interrupted) {
    PrintError("stint: interrupted; what was found is kept\n");
  }
  PrintResult(options.run.format, ToJson(*report), Section(*report));
  return kExitOk;
}

}  // namespace

void AddTuneCommand(CLI::App* app, int* exit_code) {
  auto options = std::make_shared<TuneCommandOptions>();
  CLI::App* command = app->add_subcommand(
      "tune", "Find the fastest schedules for the convolutions of a model");
  command->footer(
      "Examples:\n"
      "  stint tune model.onnx                # 10 minutes; later runs use it\n"
      "  stint tune model.onnx --budget 1m    # goes on where it was");
  options->model.AddTo(command);
  command
      ->add_option("--trials", options->trials,
                   "Most schedules to try per layer")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command
      ->add_option("--budget", options->budget,
                   "Time budget, such as 30s or 10m")
      ->capture_default_str();
  command->add_option("--batch", options->batch, "Batch size")
      ->check(CLI::Range(1, 65536));
  AddInputShapes(command, &options->input_shapes);
  command->add_option("--seed", options->seed, "Seed of the search");
  options->run.AddTo(command);
  AddTableFormat(command, &options->run.format);
  command->callback([options, exit_code] { *exit_code = RunTune(*options); });
}

}  // namespace stint::cli
