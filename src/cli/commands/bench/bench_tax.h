#pragma once
// stint bench --null-kernels: what the runtime itself costs.

#include "cli/options/run_options.h"
#include "lab/bench/bench_model.h"

namespace stint::cli {

// Runs the model with and without its kernels, in turns, for each batch and
// sequence; prints the cost per step. Returns the exit code.
int BenchTax(const BenchOptions& bench, const RunOptions& run);

}  // namespace stint::cli
