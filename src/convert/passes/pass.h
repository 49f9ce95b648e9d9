#pragma once
// A pass rewrites a graph into one with the same outputs. Passes know nothing
// of the machine; each is one file with one function, in the lists of
// pipeline.cc.

#include <string_view>

#include "model/graph/graph.h"

namespace stint {

struct Pass {
  std::string_view name;  // for --disable-pass: "fold-constants"
  // Rewrites in place what it recognizes and returns how often. Nodes that are
  // left without readers are removed by the pipeline.
  Result<int> (*run)(Graph* graph);
};

// Simplification: the result still has only operators that ONNX knows.
Result<int> FoldConstants(Graph* graph);
Result<int> SimplifyShapes(Graph* graph);
Result<int> RemoveNoOps(Graph* graph);
Result<int> FoldBatchNorm(Graph* graph);

// Recognition: several nodes become the one operator they spell out.
Result<int> FuseGelu(Graph* graph);
Result<int> FuseSwish(Graph* graph);
// Not in the list: for graphs that are written as ONNX again.
Result<int> FuseHardSwish(Graph* graph);
Result<int> FuseLayerNorm(Graph* graph);

// Fusion: operators of model/ops/fused.
Result<int> FuseLinear(Graph* graph);
Result<int> FuseConv(Graph* graph);
Result<int> BatchNormToConv(Graph* graph);
Result<int> ShortcutToConv(Graph* graph);
Result<int> FuseActivation(Graph* graph);
Result<int> FuseResidual(Graph* graph);
Result<int> FuseNorm(Graph* graph);
Result<int> FuseAttention(Graph* graph);
Result<int> MergeLinears(Graph* graph);

}  // namespace stint
