#include "cli/calibrate_options.h"

#include <CLI/CLI.hpp>

#include "convert/data/guess_task.h"

namespace stint::cli {

void CalibrateOptions::AddTo(CLI::App* app, const std::string& name,
                             const std::string& purpose) {
  // Before the data, which is checked with what this says.
  CLI::Option* task =
      app->add_option("--task", data.task,
                      "What the data set is; needed for .tsv alone")
          ->check(CLI::IsMember({"sst2", "rte", "mrpc", "cola", "stsb", "qnli",
                                 "cifar10", "imagefolder"}));
  CLI::Option* calibrate =
      app->add_option(name, data.data,
                      "Data to measure on: " + purpose +
                          ". .tsv(.gz), .bin(.xz), or a folder or tar of "
                          "CCC_*.jpg")
          ->check([this](const std::string& path) {
            return !data.task.empty() || !GuessTask(path).empty()
                       ? std::string()
                       : path + " needs --task";
          });
  task->needs(calibrate);
  app->add_option(name + "-rows", data.rows,
                  "How many first rows of the data to measure")
      ->check(CLI::Range(1, 1000000))
      ->needs(calibrate)
      ->capture_default_str();
}

void CalibrateOptions::AddLabelsTo(CLI::App* app) {
  app->add_flag("!--ignore-labels", data.use_labels,
                "Measure shards only by what answers change, not by the right "
                "classes that the data has");
}

std::optional<CalibrationData> CalibrateOptions::given() const {
  if (data.data.empty()) return std::nullopt;
  CalibrationData known = data;
  if (known.task.empty()) known.task = GuessTask(known.data);
  return known;
}

}  // namespace stint::cli
