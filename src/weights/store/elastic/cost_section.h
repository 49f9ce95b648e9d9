#pragma once
// What the layers of an elastic file took on some machines, shipped with it so
// that the first session on such a machine need not measure.

#include <span>
#include <string>
#include <vector>

#include "weights/shards/shard_catalog.h"

namespace stint {

// Writes to `to` the elastic file at `from`, which may be the same, with these
// costs beside those of other machines. Written beside `to` and renamed; until
// then what is there stays. Returns its bytes.
Result<int64_t> AddCosts(const std::string& from, const std::string& to,
                         const ShippedCosts& costs);

namespace store {

std::string EncodeCosts(const std::vector<ShippedCosts>& costs);
// kDamaged for bytes that are none.
Result<std::vector<ShippedCosts>> DecodeCosts(std::span<const uint8_t> bytes);

}  // namespace store
}  // namespace stint
