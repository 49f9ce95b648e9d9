#pragma once
// stint inspect --kernels: what computes each layer on this machine, and why.

#include "cli/options/run_options.h"
#include "lab/peers/make_inputs.h"

namespace stint::cli {

// Runs the model on random inputs of these sizes and prints its steps.
int InspectKernels(const ModelOptions& model, const RunOptions& run,
                   const InputSizes& sizes);

}  // namespace stint::cli
