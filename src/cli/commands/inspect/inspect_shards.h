#pragma once
// The shards of an elastic file: what each fidelity costs and loses.

#include "cli/options/run_options.h"
#include "weights/shards/shard_catalog.h"

namespace stint::cli {

// Adds "shards", their number, and "elastic": per layer and slice, bytes and
// distortion at 2 bits and more; tables of rows.
void AddShards(const ShardCatalog& catalog, Json* json);

// What AddShards put into "elastic", layer by layer.
void PrintShards(const Json& elastic);

}  // namespace stint::cli
