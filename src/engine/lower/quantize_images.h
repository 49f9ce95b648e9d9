#pragma once
// Moves convolutional stretches of a graph to images of bytes. Conversions
// stand only where such a stretch begins and ends; what has no integer form
// stays in float32 between them.

#include "engine/lower/image_codes.h"
#include "model/graph/graph.h"

namespace stint {

// `codes` are of the graph as it is handed in.
Status QuantizeImages(const ImageCodes& codes, Graph* graph);

}  // namespace stint
