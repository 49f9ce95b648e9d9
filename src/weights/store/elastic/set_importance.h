#pragma once
// Puts the importance of shards, and what plans by it cost, into an elastic
// file.

#include <string>

#include "weights/shards/shard_catalog.h"

namespace stint {

// The file at `path`, whose catalog this is, with the catalog's importance,
// losses of sub-networks and checks in place of what it may have. Written
// beside it and renamed; until then the old file stays. Returns its bytes.
Result<int64_t> SetImportance(const std::string& path,
                              const ShardCatalog& catalog);

}  // namespace stint
