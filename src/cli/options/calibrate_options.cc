#include "cli/options/calibrate_options.h"

#include <CLI/CLI.hpp>

#include "cli/options/task_option.h"

namespace stint::cli {

void CalibrateOptions::AddTo(CLI::App* app, const std::string& name,
                             const std::string& purpose) {
  CLI::Option* task = AddTask(app, &data.task);
  CLI::Option* calibrate =
      app->add_option(name, data.data,
                      "Data to measure on: " + purpose +
                          ". .tsv(.gz) with --task, .txt(.gz) with a text per "
                          "line, .bin(.xz), or a folder or tar of "
                          "CCC_*.jpg");
  GuessByName(calibrate, &data.task);
  task->needs(calibrate);
  app->add_option(name + "-rows", data.rows,
                  "How many first rows of the data to measure")
      ->check(CLI::Range(1, 1000000))
      ->needs(calibrate)
      ->capture_default_str();
}

void CalibrateOptions::AddLabelsTo(CLI::App* app) {
  app->add_flag("!--ignore-labels", data.use_labels,
                "Measure shards by how much answers change and ignore the "
                "classes in the data");
}

std::optional<CalibrationData> CalibrateOptions::given() const {
  if (data.data.empty()) return std::nullopt;
  return data;
}

}  // namespace stint::cli
