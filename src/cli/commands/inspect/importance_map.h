#pragma once
// How much each shard of an elastic file matters, as a picture: a row per
// layer, a cell per slice, darker where fewer bits cost more.

#include <string>

#include "weights/shards/shard_catalog.h"

namespace stint::cli {

// For a terminal; empty when importance was not measured.
std::string ImportanceText(const ShardCatalog& catalog);
// The same as SVG.
std::string ImportanceSvg(const ShardCatalog& catalog);

}  // namespace stint::cli
