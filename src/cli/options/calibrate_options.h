#pragma once
// Data to measure a model on while it is packed, as options.

#include <optional>

#include "cli/options/run_options.h"

namespace stint::cli {

struct CalibrateOptions {
  CalibrationData data;

  // `name` is the option that names the data, `purpose` what it is for.
  void AddTo(CLI::App* app, const std::string& name,
             const std::string& purpose);
  void AddLabelsTo(CLI::App* app);
  // Nothing when no data was named.
  std::optional<CalibrationData> given() const;
};

}  // namespace stint::cli
