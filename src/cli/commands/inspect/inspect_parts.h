#pragma once
// Parts of `stint inspect`: --kernels, --stages, the shards of elastic files
// and how much each matters (a row per layer, a cell per slice, darker where
// fewer bits cost more).

#include <string>

#include "cli/options/run_options.h"
#include "lab/peers/make_inputs.h"
#include "weights/shards/shard_catalog.h"

namespace stint::cli {

// Runs the model on random inputs of these sizes and prints its steps.
int InspectKernels(const ModelOptions& model, const RunOptions& run,
                   const InputSizes& sizes);

// With `after` the name of a pass, prints the graph as that pass leaves it;
// else a line per pass. Returns the exit code.
int InspectStages(const ModelOptions& model, const std::string& after,
                  const std::string& format);

// Adds "shards", their number, and "elastic": per layer and slice, bytes and
// distortion at 2 bits and more; tables of rows.
void AddShards(const ShardCatalog& catalog, Json* json);

// What AddShards put into "elastic", layer by layer.
void PrintShards(const Json& elastic);

// For a terminal; empty when importance was not measured.
std::string ImportanceText(const ShardCatalog& catalog);
// The same as SVG.
std::string ImportanceSvg(const ShardCatalog& catalog);

}  // namespace stint::cli
