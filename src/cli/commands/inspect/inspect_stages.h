#pragma once
// stint inspect --stages: what each pass does to a model.

#include <string>

#include "cli/options/run_options.h"

namespace stint::cli {

// With `after` the name of a pass, prints the graph as that pass leaves it;
// else a line per pass. Returns the exit code.
int InspectStages(const ModelOptions& model, const std::string& after,
                  bool json);

}  // namespace stint::cli
