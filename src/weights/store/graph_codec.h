#pragma once
// Graphs as bytes. Tensors are elsewhere; the bytes refer to them by index.

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "model/graph/graph.h"

namespace stint::store {

// Puts a tensor somewhere and returns its index.
using PutTensor = std::function<uint32_t(const Tensor& tensor)>;
// The tensor of an index; an error when there is none.
using GetTensor = std::function<Result<Tensor>(uint32_t index)>;

// Nodes in their order and the values that they, the inputs and the outputs
// refer to; constants without elements stay without.
std::string EncodeGraph(const Graph& graph, const PutTensor& put);

// The values in the order in which EncodeGraph writes them, and DecodeGraph
// numbers them.
std::vector<ValueId> ValuesInFile(const Graph& graph);

// kDamaged for bytes that EncodeGraph cannot have written, kUnsupported for an
// operator that this version has not. Types are inferred and the graph
// verified.
Result<std::unique_ptr<Graph>> DecodeGraph(std::span<const uint8_t> bytes,
                                           const GetTensor& get);

}  // namespace stint::store
