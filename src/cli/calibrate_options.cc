#include "cli/calibrate_options.h"

#include <CLI/CLI.hpp>

namespace stint::cli {

void CalibrateOptions::AddTo(CLI::App* app) {
  CLI::Option* calibrate = app->add_option(
      "--calibrate", data.data,
      "Data to measure on: how much each shard of an elastic file matters, "
      "the ranges of convolutions' activations for int8. .tsv(.gz), .bin(.xz), "
      "or a folder or tar of CCC_*.jpg");
  CLI::Option* task =
      app->add_option("--task", data.task, "What the data set is")
          ->check(CLI::IsMember({"sst2", "rte", "mrpc", "cola", "stsb", "qnli",
                                 "cifar10", "imagefolder"}))
          ->needs(calibrate);
  calibrate->needs(task);
  app->add_option("--calibrate-rows", data.rows,
                  "How many first rows of the data to measure")
      ->check(CLI::Range(1, 1000000))
      ->needs(calibrate)
      ->capture_default_str();
  app->add_flag("!--ignore-labels", data.use_labels,
                "Measure shards only by what answers change, not by the right "
                "classes that the data has")
      ->needs(calibrate);
}

std::optional<CalibrationData> CalibrateOptions::given() const {
  if (data.data.empty()) return std::nullopt;
  return data;
}

}  // namespace stint::cli
