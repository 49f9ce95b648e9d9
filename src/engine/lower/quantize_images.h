#pragma once
// Moves convolutional stretches of a graph to images of bytes. Conversions
// stand only where such a stretch begins and ends; what has no integer form
// stays in float32 between them.

#include "engine/lower/activation_ranges.h"
#include "model/graph/graph.h"

namespace stint {

// `ranges` are of the graph as it is handed in.
Status QuantizeImages(const ActivationRanges& ranges, Graph* graph);

}  // namespace stint
