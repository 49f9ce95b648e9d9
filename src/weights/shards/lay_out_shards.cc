#include <algorithm>
#include <map>
#include <set>

#include "weights/shards/find_transformer.h"
#include "weights/shards/shard_layout.h"

namespace stint {
namespace {

// A plane of a layer this large pads less than 5 % to whole pages.
constexpr int64_t kLayerWeights = 20 * 4096 * 8;
// Of a slice: a plane is 8 pages.
constexpr int64_t kSliceWeights = 8 * 4096 * 8;
constexpr int64_t kMaxSlices = 16;

// Joins matrices of operators into layers.
class OperatorLayers {
 public:
  explicit OperatorLayers(std::vector<ShardLayer>* layers) : layers_(*layers) {}

  void Add(ShardMatrix matrix) {
    weights_ += matrix.weights();
    open_.matrices.push_back(std::move(matrix));
    if (weights_ >= kLayerWeights) Close();
  }
  // Ends the layer that is being filled.
  void Close() {
    if (open_.matrices.empty()) return;
    int64_t strips = 1;
    for (const ShardMatrix& m : open_.matrices) {
      strips = std::max(strips, m.outputs / kPlaneStripOutputs);
    }
    const int64_t slices =
        std::clamp((weights_ + kSliceWeights / 2) / kSliceWeights, int64_t{1},
                   std::min(kMaxSlices, strips));
    open_.slices = static_cast<int>(slices);
    for (ShardMatrix& m : open_.matrices) {
      m.bounds = CutEvenly(m.outputs, slices, kPlaneStripOutputs);
    }
    layers_.push_back(std::move(open_));
    open_ = {};
    weights_ = 0;
  }

 private:
  std::vector<ShardLayer>& layers_;
  ShardLayer open_;
  int64_t weights_ = 0;
};

}  // namespace

PlaneBlockShape ShardMatrix::BlockShape(int slice) const {
  const int64_t size = bounds[slice + 1] - bounds[slice];
  return cut == PlaneCut::kOutputs ? PlaneBlockShape{size, inputs}
                                   : PlaneBlockShape{outputs, size};
}

ShardLayout LayOutShards(const Graph& graph, const ShardOptions& options) {
  const WeightIndex index(graph, options);
  std::map<NodeId, ShardLayer> blocks;  // by their first node
  std::set<NodeId> taken;
  for (TransformerBlock& block : FindTransformerBlocks(index)) {
    taken.insert(block.nodes.begin(), block.nodes.end());
    blocks[block.nodes[0]] = std::move(block.layer);
  }
  ShardLayout layout;
  OperatorLayers operators(&layout.layers);
  for (NodeId id : graph.order()) {
    if (const auto block = blocks.find(id); block != blocks.end()) {
      operators.Close();
      layout.layers.push_back(std::move(block->second));
    }
    if (taken.contains(id)) continue;
    for (ShardMatrix& matrix : index.Matrices(id)) {
      if (index.IsBig(matrix.weights())) operators.Add(std::move(matrix));
    }
  }
  operators.Close();
  for (size_t i = 0; i < graph.num_values(); ++i) {
    auto table = index.Table({static_cast<int32_t>(i)});
    if (table) layout.tables.push_back(std::move(*table));
  }
  return layout;
}

}  // namespace stint
