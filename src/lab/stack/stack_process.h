#pragma once
// A point of a study across the stack as processes: `stint compress` once per
// model and compression, `stint tune` once per such model and compute, `stint
// inspect --kernels`, then `stint eval`.

#include <string>

#include "lab/stack/stack_study.h"

namespace stint {

// Runs points by starting the executable of the options; compressed models stay
// in `folder`. Samples are those of EvalOutcome, and model_bytes, parameters,
// nonzeros, parameters_before of the compressed model, and times of layers. The
// fact kDeviceFact is what the options say of the compute.
StackRunners StackInProcesses(const StackStudyOptions& options,
                              const std::string& folder);

}  // namespace stint
