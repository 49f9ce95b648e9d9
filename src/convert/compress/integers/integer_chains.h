#pragma once
// Which convolutions gain by integers: those that stand alone between operators
// in float pay for codes on both sides.

#include <set>

#include "model/graph/graph.h"

namespace stint {

// What a convolution's epilogue can do to its result before that is coded. A
// leak is not among it: sessions take that up only between two codes.
bool IsFusedActivation(const Op& op);

// Convolutions with constant weights.
std::set<NodeId> FindConvolutions(const Graph& graph);

// `convolutions` without those that neither get images from others nor give
// images to others, by operators that work on bytes, and have too few products
// for each number that is converted.
std::set<NodeId> WithoutLoneConvolutions(const Graph& graph,
                                         std::set<NodeId> convolutions);

}  // namespace stint
