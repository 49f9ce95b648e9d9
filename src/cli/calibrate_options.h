#pragma once
// Data to measure a model on while it is packed, as options.

#include <optional>

#include "cli/command.h"

namespace stint::cli {

struct CalibrateOptions {
  CalibrationData data;

  void AddTo(CLI::App* app);
  // Nothing when no data was named.
  std::optional<CalibrationData> given() const;
};

}  // namespace stint::cli
