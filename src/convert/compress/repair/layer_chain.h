#pragma once
// How layers, the biases behind them and the sums that they end in follow each
// other in a graph.

#include <map>
#include <optional>
#include <vector>

#include "convert/compress/weight_matrix.h"

namespace stint {

bool IsSum(const Node& node);

// Nodes behind those that they read from; of two that are added, the first
// layer last, so that it can make up for the second.
std::vector<NodeId> FitOrder(const Graph& graph);

// Who reads what in a graph, which must outlive it.
class LayerChain {
 public:
  explicit LayerChain(const Graph& graph);

  // Invalid ids stand for outputs of the graph.
  const std::vector<NodeId>& Readers(ValueId value) const;

  // The sum that alone reads what a layer without a bias of its own gives, if
  // it adds one number per output that nobody else reads; and its constant.
  struct BiasSum {
    NodeId sum;
    ValueId bias;
  };
  std::optional<BiasSum> BiasOf(NodeId layer) const;

  // Reader and place of what the layer's output alone, its bias added, is
  // added to.
  std::optional<std::pair<NodeId, size_t>> SumOf(NodeId layer) const;

 private:
  const Graph& graph_;
  std::map<ValueId, std::vector<NodeId>> readers_;
};

}  // namespace stint
