#pragma once
// How a model's weights are cut into shards: layers that run one after the
// other, each cut into slices. A shard is one slice of one layer.

#include <cstdint>
#include <string>
#include <vector>

#include "model/graph/graph.h"
#include "weights/planes/plane_matrix.h"

namespace stint {

// How the dimensions of a constant become a matrix [outputs, inputs].
enum class WeightOrder : uint8_t {
  kRows = 0,     // [outputs, inputs]
  kColumns = 1,  // [inputs, outputs]
  // [outputs, channels, window...]: an input is a place in the window, then a
  // channel, so that the channels of a pixel lie side by side.
  kWindow = 2,
};

// One constant of one node.
struct ShardMatrix {
  std::string node;
  int input = 0;  // of the node
  WeightOrder order = WeightOrder::kRows;
  int64_t outputs = 0;
  int64_t inputs = 0;
  PlaneCut cut = PlaneCut::kOutputs;
  // Slice i has the outputs (or inputs) bounds[i] to bounds[i + 1]; none when
  // these are equal.
  std::vector<int64_t> bounds;

  int64_t weights() const { return outputs * inputs; }
  // The block of a slice.
  PlaneBlockShape BlockShape(int slice) const;
  bool operator==(const ShardMatrix&) const = default;
};

enum class LayerKind : uint8_t {
  kOperators = 0,  // slices of output channels
  // A slice is a head (or several) with its share of the feed-forward layer;
  // matrices are those of q, k, v, attention output, and, where there is a
  // feed-forward layer, its two.
  kTransformer = 1,
};

struct ShardLayer {
  LayerKind kind = LayerKind::kOperators;
  int slices = 1;
  std::vector<ShardMatrix> matrices;
  bool operator==(const ShardLayer&) const = default;
};

// A constant [rows, columns] of which nodes gather rows.
struct ShardTable {
  std::vector<std::string> nodes;  // whose input 0 it is
  int64_t rows = 0;
  int64_t columns = 0;
  bool operator==(const ShardTable&) const = default;
};

struct ShardLayout {
  std::vector<ShardLayer> layers;  // in the order of execution
  std::vector<ShardTable> tables;
  bool empty() const { return layers.empty() && tables.empty(); }
  bool operator==(const ShardLayout&) const = default;
};

struct ShardOptions {
  // Smaller constants stay as they are.
  int64_t min_weights = 16384;
};

// Transformer blocks become layers of slices; every other big linear layer or
// convolution is cut by output channels, small neighbors joined into one layer
// so that its planes fill pages. Weights with several readers, of bodies, and
// of nodes whose name is not their own stay out.
ShardLayout LayOutShards(const Graph& graph, const ShardOptions& options = {});

}  // namespace stint
