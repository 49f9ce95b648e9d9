#pragma once
// How much memory a shard catalog takes.

#include <cstdint>

#include "weights/shards/shard_catalog.h"

namespace stint {

// Without the elements of its tensors, which are mapped from a file.
int64_t HeapBytes(const ShardCatalog& catalog);

}  // namespace stint
