#pragma once
// The weights of convolutions and matrix products as matrices of one row per
// output, whatever way round the operator stores them.

#include <vector>

#include "model/graph/graph.h"

namespace stint {

struct WeightMatrix {
  NodeId node;
  ValueId value;  // the float32 constant
  int64_t outputs = 0;
  int64_t inputs = 0;  // weights per output: taps of each channel in turn
  int64_t taps = 1;
  int64_t output_stride = 0;
  int64_t input_stride = 0;

  int64_t size() const { return outputs * inputs; }
  int64_t At(int64_t output, int64_t input) const {
    return output * output_stride + input * input_stride;
  }
};

// Those of Conv, Gemm and MatMul nodes, in execution order; a MatMul may read
// them through a Transpose, as in Hugging Face models. Left out are
// convolutions of several groups, whose few weights per output all matter,
// constants that several nodes read, and subgraphs.
std::vector<WeightMatrix> FindWeights(const Graph& graph);

// The matrix of one node; nothing where it has none (see above, but for
// groups).
std::optional<WeightMatrix> WeightsOf(const Graph& graph, NodeId node);

// The weights as a tensor of their own, which the graph then reads: graphs that
// were cloned share theirs.
Result<float*> OwnWeights(const WeightMatrix& matrix, Graph* graph);

// The input at which a node with such weights may take a bias of one number per
// output, or -1 where its operator has none.
int BiasInput(const Op& op);

// The bias of a node with such weights as a vector of its own, one number per
// output, zeros where it had none. kUnsupported where it is not one number, or
// one per output; BiasInput must not be -1.
Result<float*> OwnBias(const WeightMatrix& matrix, Graph* graph);

}  // namespace stint
