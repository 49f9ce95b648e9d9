#pragma once
// Takes apart what FuseNorm joined, for those who look for layers in a graph:
// elastic files keep linear layers and normalizations as nodes of their own.

#include "model/graph/graph.h"

namespace stint {

Status SplitNorms(Graph* graph);

}  // namespace stint
