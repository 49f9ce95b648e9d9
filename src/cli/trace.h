#pragma once
// A run's steps as a Chrome trace (chrome://tracing, ui.perfetto.dev).

#include <string>
#include <vector>

#include "stint/session.h"

namespace stint::cli {

Status WriteTrace(const std::vector<StepTime>& steps, const std::string& path);

}  // namespace stint::cli
