#include "weights/shards/find_transformer.h"

#include <algorithm>
#include <deque>
#include <set>

#include "core/base/checked_math.h"

namespace stint {
namespace {

// How many nodes lie between the attention's output layer and the next linear
// layer at most: norms and sums.
constexpr int kMaxBetween = 8;

class BlockFinder {
 public:
  explicit BlockFinder(const WeightIndex& index)
      : index_(index), graph_(index.graph()) {}

  // Nothing when the attention is not part of a block.
  std::optional<TransformerBlock> Find(NodeId attention) {
    block_ = {};
    block_.layer.kind = LayerKind::kTransformer;
    const Node& node = graph_.node(attention);
    if (!AddQkv(node)) return std::nullopt;
    const auto output = NextLinear(node.outputs[0]);
    if (!output || !AddLinear(*output)) return std::nullopt;
    AddFeedForward(graph_.node(*output).outputs[0]);
    if (!Cut(As<FusedAttention>(node.op)->heads)) return std::nullopt;
    return block_;
  }

 private:
  bool AddLinear(NodeId id) {
    auto matrices = index_.Matrices(id);
    if (matrices.size() != 1 || graph_.node(id).inputs.size() > 4) return false;
    block_.nodes.push_back(id);
    block_.layer.matrices.push_back(std::move(matrices[0]));
    return true;
  }

  bool AddQkv(const Node& attention) {
    const auto producer = [&](size_t i) {
      return i < attention.inputs.size() && attention.inputs[i].valid()
                 ? graph_.value(attention.inputs[i]).producer
                 : NodeId{};
    };
    const NodeId first = producer(0);
    if (!IsLinear(first)) return false;
    if (producer(1).valid()) {
      for (size_t i = 0; i < 3; ++i) {
        if (!IsLinear(producer(i)) || !AddLinear(producer(i))) return false;
      }
      return true;
    }
    block_.layer.matrices = index_.Matrices(first);
    block_.nodes.push_back(first);
    return block_.layer.matrices.size() == 3;
  }

  bool IsLinear(NodeId id) const {
    return id.valid() && As<FusedLinear>(graph_.node(id).op) != nullptr;
  }

  // The linear layer that alone takes `value`, maybe reshaped or through a
  // function of one element, as its x.
  std::optional<NodeId> NextLinear(ValueId value) const {
    for (int i = 0; i < kMaxBetween; ++i) {
      const auto reader = index_.OnlyReader(value);
      if (!reader) return std::nullopt;
      const Node& node = graph_.node(*reader);
      if (node.inputs[0] != value) return std::nullopt;
      if (IsLinear(*reader)) return reader;
      if (As<Reshape>(node.op) == nullptr && As<Unary>(node.op) == nullptr) {
        return std::nullopt;
      }
      value = node.outputs[0];
    }
    return std::nullopt;
  }

  // The first linear layer after `value` whose result goes only into another.
  void AddFeedForward(ValueId value) {
    std::deque<ValueId> open = {value};
    std::set<NodeId> seen;
    while (!open.empty() && seen.size() < kMaxBetween) {
      const ValueId next = open.front();
      open.pop_front();
      for (NodeId id : index_.readers(next)) {
        if (!seen.insert(id).second) continue;
        const Node& node = graph_.node(id);
        if (!IsLinear(id)) {
          for (ValueId out : node.outputs) {
            if (out.valid()) open.push_back(out);
          }
        } else if (node.inputs[0] == next && AddPair(id)) {
          return;
        }
      }
    }
  }
  bool AddPair(NodeId first) {
    const auto second = NextLinear(graph_.node(first).outputs[0]);
    if (!second) return false;
    const size_t nodes = block_.nodes.size();
    if (AddLinear(first) && AddLinear(*second)) return true;
    block_.nodes.resize(nodes);
    block_.layer.matrices.resize(4);
    return false;
  }

  // Slices of one head, or of as many as fill strips of outputs.
  bool Cut(int64_t heads) {
    auto& matrices = block_.layer.matrices;
    int64_t weights = 0;
    for (int i = 0; i < 3; ++i) {
      if (matrices[i].outputs % heads != 0) return false;
    }
    if (matrices[3].inputs != matrices[2].outputs) return false;
    for (const ShardMatrix& matrix : matrices) weights += matrix.weights();
    if (!index_.IsBig(weights)) return false;
    const auto fills = [&](int64_t slices) {
      return heads % slices == 0 &&
             matrices[0].outputs / slices % kPlaneStripOutputs == 0 &&
             matrices[2].outputs / slices % kPlaneStripOutputs == 0;
    };
    int64_t slices = heads;
    while (slices > 1 && !fills(slices)) --slices;
    block_.layer.slices = static_cast<int>(slices);
    for (size_t i = 0; i < matrices.size(); ++i) {
      ShardMatrix& m = matrices[i];
      m.cut = i == 3 || i == 5 ? PlaneCut::kInputs : PlaneCut::kOutputs;
      const int64_t size = m.cut == PlaneCut::kInputs ? m.inputs : m.outputs;
      const int64_t unit = i < 4 ? size / slices : kPlaneStripOutputs;
      m.bounds = CutEvenly(size, slices, unit);
    }
    return true;
  }

  const WeightIndex& index_;
  const Graph& graph_;
  TransformerBlock block_;
};

}  // namespace

std::vector<int64_t> CutEvenly(int64_t size, int64_t parts, int64_t unit) {
  const int64_t units = CeilDiv(size, unit);
  std::vector<int64_t> bounds;
  for (int64_t i = 0; i <= parts; ++i) {
    bounds.push_back(std::min(size, i * units / parts * unit));
  }
  return bounds;
}

std::vector<TransformerBlock> FindTransformerBlocks(const WeightIndex& index) {
  std::vector<TransformerBlock> blocks;
  std::set<NodeId> taken;
  BlockFinder finder(index);
  for (NodeId id : index.graph().order()) {
    if (As<FusedAttention>(index.graph().node(id).op) == nullptr) continue;
    auto block = finder.Find(id);
    if (!block) continue;
    const bool free =
        std::none_of(block->nodes.begin(), block->nodes.end(),
                     [&](NodeId node) { return taken.contains(node); });
    if (!free) continue;
    taken.insert(block->nodes.begin(), block->nodes.end());
    blocks.push_back(std::move(*block));
  }
  return blocks;
}

}  // namespace stint
