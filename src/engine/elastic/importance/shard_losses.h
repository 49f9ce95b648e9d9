#pragma once
// What the shards of a file cost by their bits, as plans count it: measured
// importance, trusted as far as it stands out of its noise, on top of what the
// distortion of the weights lets expect.

#include <vector>

#include "engine/plan/plan_problem.h"
#include "weights/shards/shard_catalog.h"

namespace stint {

// By layer of the catalog, then slice. A shard loses its sensitivity times the
// distortion of its weights at so many bits, which falls with the bits. The
// sensitivity is what was measured at the lowest fidelity, over the distortion
// there, drawn toward the mean of its layer and that toward the mean of the
// model; losses at the lowest fidelity sum up to what was measured. Without
// importance all shards are equally sensitive.
std::vector<std::vector<ByFidelity>> ShardLosses(const ShardCatalog& catalog);

}  // namespace stint
