// stint optimize: the fastest form of a model at an accuracy.

#include <CLI/CLI.hpp>
#include <cstdio>

#include "cli/command.h"
#include "cli/image_options.h"
#include "cli/progress.h"
#include "core/base/quantity.h"
#include "lab/optimize/optimize.h"

namespace stint::cli {
namespace {

struct OptimizeCommandOptions {
  ModelOptions model;
  RunOptions run;
  ImageOptions image;
  OptimizeOptions optimize;
  double min_accuracy = 0;  // percent
  double latency_ms = 0;
  std::string size;
  std::string output;
};

Json LayersJson(const OptimizeRow& row) {
  Json layers = Json::object();
  for (const auto& [name, layer] : row.compress.layers) {
    layers[name] = {{"int8", layer.int8},
                    {"zeros", layer.zeros},
                    {"channels", layer.channels}};
  }
  return layers;
}

// What single changes cost, by layer.
Json CostsJson(const NetworkCosts& costs) {
  Json layers = Json::object();
  for (const LayerCosts& layer : costs.layers) {
    Json& choices = layers[layer.name] = Json::array();
    for (const LayerChoice& choice : layer.plain) {
      choices.push_back({{"zeros", choice.what.zeros},
                         {"us", choice.us},
                         {"loss", choice.loss}});
    }
    if (layer.bytes) {
      choices.push_back({{"int8", true},
                         {"us", layer.bytes->us},
                         {"loss", layer.bytes->loss}});
    }
  }
  for (const ChannelCosts& group : costs.channels) {
    for (const ChannelChoice& choice : group.choices) {
      Json factors = Json::object();
      for (const auto& [layer, factor] : choice.factors) {
        factors[costs.layers[layer].name] = factor;
      }
      layers[group.layer].push_back({{"channels", choice.ratio},
                                     {"time_factors", std::move(factors)},
                                     {"loss", choice.loss}});
    }
  }
  return layers;
}

Json ReportJson(const OptimizeReport& report) {
  Json rows = Json::array();
  for (const OptimizeRow& row : report.rows) {
    rows.push_back({{"name", row.name},
                    {"plain", row.plain},
                    {"precision", row.precision},
                    {"accuracy", row.accuracy},
                    {"ms", row.ms},
                    {"predicted_ms", row.predicted_ms},
                    {"bytes", row.bytes},
                    {"fails", row.fails},
                    {"pareto", row.pareto},
                    {"layers", LayersJson(row)}});
  }
  Json json = {{"layers", report.layers},
               {"costs", CostsJson(report.costs)},
               {"not_evaluated", report.not_evaluated},
               {"rows", std::move(rows)}};
  json["best"] =
      report.best ? Json(report.rows[*report.best].name) : Json(nullptr);
  return json;
}

void PrintTable(const OptimizeReport& report) {
  std::printf("%9s %9s %10s  %-9s\n", "accuracy", "ms", "size", "");
  for (size_t i = 0; i < report.rows.size(); ++i) {
    const OptimizeRow& row = report.rows[i];
    const bool best = report.best && i == *report.best;
    std::printf(
        "%8.2f%% %9.3f %10s  %s %s%s\n", 100 * row.accuracy, row.ms,
        FormatBytes(row.bytes).c_str(), best ? "*" : (row.pareto ? "+" : " "),
        row.Describe().c_str(),
        row.fails.empty() ? "" : (" (misses " + row.fails + ")").c_str());
  }
  std::printf("* chosen, + nothing is both faster and as accurate\n");
  if (report.not_evaluated > 0) {
    std::printf("%d plain prunings are slower than int8 and not shown\n",
                report.not_evaluated);
  }
}

Status Save(const OptimizeReport& report, const std::string& path) {
  if (path.empty()) return OkStatus();
  if (!path.ends_with(".stint")) {
    return ExportOnnx(*report.model, path).status();
  }
  STINT_ASSIGN_OR_RETURN(const Model optimized, OptimizeModel(*report.model));
  PackOptions pack;
  pack.bits = 32;
  return PackModel(optimized, path, pack).status();
}

int RunOptimize(OptimizeCommandOptions* given) {
  OptimizeOptions& options = given->optimize;
  options.min_accuracy = given->min_accuracy / 100;
  if (given->latency_ms > 0) options.max_ms = given->latency_ms;
  if (!given->size.empty()) {
    const auto bytes = ParseBytes(given->size);
    if (!bytes.ok()) return Fail(bytes.status());
    options.max_bytes = *bytes;
  }
  options.preprocessing = given->image.given();
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
  if (given->run.format == "json") {
    PrintJson(ReportJson(*report));
  } else {
    PrintTable(*report);
  }
  if (!report->best) {
    return Fail(BudgetInfeasible("nothing that was tried keeps all limits"));
  }
  const Status saved = Save(*report, given->output);
  if (!saved.ok()) return Fail(saved);
  const OptimizeRow& best = report->rows[*report->best];
  if (!given->output.empty() && given->run.format != "json") {
    std::printf("%s%s\n", given->output.c_str(),
                best.precision == "fp32"
                    ? ""
                    : (": run it with --precision " + best.precision).c_str());
  }
  return kExitOk;
}

}  // namespace

void AddOptimizeCommand(CLI::App* app, int* exit_code) {
  auto options = std::make_shared<OptimizeCommandOptions>();
  CLI::App* command = app->add_subcommand(
      "optimize",
      "Find the fastest precision, sparsity and channels, layer by layer");
  command->footer(
      "Example:\n"
      "  stint optimize resnet20.onnx --data test_batch.bin.xz --task cifar10 "
      "\\\n"
      "      --calibrate data_batch_1.bin.xz --scale 255 --min-accuracy 90.7 "
      "\\\n"
      "      -o fast.stint");
  options->model.AddTo(command);
  command
      ->add_option("--data", options->optimize.eval.data,
                   "What accuracy is measured on")
      ->required();
  command
      ->add_option("--task", options->optimize.eval.task,
                   "cifar10 or imagefolder")
      ->required();
  command->add_option("--rows", options->optimize.eval.max_rows,
                      "Only the first so many rows of --data");
  command
      ->add_option("--calibrate", options->optimize.calibration.data,
                   "Other data of the same kind, without labels: to repair, "
                   "and to measure ranges and what layers matter")
      ->required();
  command
      ->add_option("--calibrate-rows", options->optimize.calibration.rows,
                   "The first so many rows of it")
      ->default_val(1000);
  command->add_option("--min-accuracy", options->min_accuracy, "In percent")
      ->required()
      ->check(CLI::Range(0.0, 100.0));
  command
      ->add_option("--latency", options->latency_ms,
                   "Most milliseconds of a run on one row")
      ->check(CLI::PositiveNumber);
  command->add_option("--size", options->size,
                      "Most bytes of the model as ONNX: 200kB");
  command->add_option("-o,--output", options->output,
                      "Write the fastest: .onnx or .stint");
  options->image.AddTo(command, "--image-size");
  options->run.AddTo(command);
  command->callback(
      [options, exit_code] { *exit_code = RunOptimize(options.get()); });
}

}  // namespace stint::cli
