#pragma once
// Packed weights back to constants, for whoever needs them plain.

#include <optional>
#include <string_view>
#include <vector>

#include "model/graph/graph.h"
#include "weights/package/packed_weights.h"

namespace stint {

// Weights in this layout can be had back exactly, by kernels of any machine.
bool CanUnpack(std::string_view layout);

// A matrix [k,n] from weights of a linear layer; nothing when their layout has
// no way back or their size is another.
std::optional<std::vector<float>> UnpackMatrix(const PackedWeights& packed,
                                               int64_t k, int64_t n);

// Weights of these dimensions, [out, in of a group, kernel], from those of a
// convolution; nothing as above.
Result<std::optional<Tensor>> UnpackKernels(const PackedWeights& packed,
                                            const Shape& dims, int64_t groups);

// Gives elements to the constants of `graph` that exist only packed. An error
// names the node whose layout has no way back.
Status RestoreWeights(const PackedTable& packed, Graph* graph);

}  // namespace stint
