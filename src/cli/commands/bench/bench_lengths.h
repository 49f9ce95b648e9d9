#pragma once
// stint bench --mixed: what it costs that a session's lengths change.

#include "cli/options/run_options.h"
#include "lab/bench/bench_model.h"

namespace stint::cli {

// Runs the model with every sequence length of `bench` in one session: each
// length many times in a row, and all of them in random order, in turns; prints
// the ratio of the sums, and what a length costs that was not seen before.
// Returns the exit code.
int BenchLengths(const BenchOptions& bench, const RunOptions& run);

}  // namespace stint::cli
