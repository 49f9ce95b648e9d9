#pragma once
// Packed weights back to constants, for whoever needs them plain.

#include "model/graph/graph.h"
#include "weights/package/packed_weights.h"

namespace stint {

// Gives elements to the constants of `graph` that exist only packed. An error
// names the node whose layout has no way back.
Status RestoreWeights(const PackedTable& packed, Graph* graph);

}  // namespace stint
