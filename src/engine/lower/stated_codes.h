#pragma once
// Codes that a model states itself, by QuantizeLinear and DequantizeLinear
// around its convolutions (the "QDQ" form).

#include "engine/lower/image_codes.h"
#include "model/graph/graph.h"

namespace stint {

// Takes the pairs out of the graph and returns what they say; weights that are
// dequantized constants become float32 ones, and their convolutions FusedConv.
// A pair stays where its code is not one byte per image, where somebody else
// reads its bytes, or where no convolution is on either side.
Result<ImageCodes> TakeStatedCodes(Graph* graph);

}  // namespace stint
