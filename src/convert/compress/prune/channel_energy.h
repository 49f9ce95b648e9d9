#pragma once
// How large the channels of a graph's values are over data: what a channel
// carries is its size there times the weights that read it.

#include <map>
#include <vector>

#include "convert/compress/repair/layerwise_run.h"

namespace stint {

// Mean squares by channel (dimension 1), of float32 values of two dimensions
// and more.
using ChannelEnergies = std::map<ValueId, std::vector<double>>;

Result<ChannelEnergies> MeasureEnergies(const Graph& graph,
                                        const Samples& samples,
                                        ThreadPool* pool);

}  // namespace stint
