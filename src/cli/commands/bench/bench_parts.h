#pragma once
// Parts of `stint bench`: --mixed, what it costs that lengths change, and
// --null-kernels, what the runtime itself costs.

#include "cli/options/run_options.h"
#include "lab/bench/bench_model.h"

namespace stint::cli {

// Runs the model with every sequence length of `bench` in one session: each
// length many times in a row, and all of them in random order, in turns; prints
// the ratio of the sums, and what a length costs that was not seen before.
// Returns the exit code.
int BenchLengths(const BenchOptions& bench, const RunOptions& run);

// Runs the model with and without its kernels, in turns, for each batch and
// sequence; prints the cost per step. Returns the exit code.
int BenchTax(const BenchOptions& bench, const RunOptions& run);

}  // namespace stint::cli
