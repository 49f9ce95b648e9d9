#include "engine/elastic/coded_layers.h"

#include <algorithm>
#include <map>

#include "kernels/gemm_s8/gemm_s8.h"

namespace stint {
namespace {

struct LayerNode {
  int layer;
  std::vector<int> matrices;
};

// Every node that reads matrices of a layer.
std::map<std::string, LayerNode> NodesOf(const ShardLayout& layout) {
  std::map<std::string, LayerNode> nodes;
  for (size_t l = 0; l < layout.layers.size(); ++l) {
    const auto& matrices = layout.layers[l].matrices;
    for (size_t m = 0; m < matrices.size(); ++m) {
      LayerNode& node = nodes[matrices[m].node];
      node.layer = static_cast<int>(l);
      node.matrices.push_back(static_cast<int>(m));
    }
  }
  return nodes;
}

// A convolution of one group and at most two axes, whose weights are the
// matrix.
bool IsCodedConv(const Graph& graph, const Node& node,
                 const ShardMatrix& matrix) {
  const FusedConv& op = *As<FusedConv>(node.op);
  const ValueType& x = graph.value(node.inputs[0]).type;
  const bool has_bias = node.inputs.size() > 2 && node.inputs[2].valid();
  return op.group == 1 && matrix.input == 1 && x.ranked &&
         (x.rank() == 3 || x.rank() == 4) && x.dtype == DType::kFloat32 &&
         (!has_bias || graph.value(node.inputs[2]).constant);
}

// All of the node's weights are the matrices, in order.
bool IsCodedLinear(const Node& node, const LayerNode& coded,
                   const ShardLayer& layer) {
  size_t next = 0;
  for (size_t i = FusedLinear::kFirstWeight; i < node.inputs.size(); i += 2) {
    if (next == coded.matrices.size()) return false;
    const auto m = static_cast<size_t>(coded.matrices[next++]);
    if (layer.matrices[m].input != static_cast<int>(i)) return false;
  }
  return next == coded.matrices.size();
}

// There is a kernel that computes the node on codes.
bool IsCoded(const Graph& graph, const Node& node, const LayerNode& coded,
             const ShardLayer& layer) {
  for (int m : coded.matrices) {
    if (layer.matrices[static_cast<size_t>(m)].inputs > kGemmS8MaxK) {
      return false;
    }
  }
  if (As<FusedConv>(node.op) != nullptr) {
    return coded.matrices.size() == 1 &&
           IsCodedConv(graph, node,
                       layer.matrices[static_cast<size_t>(coded.matrices[0])]);
  }
  return As<FusedLinear>(node.op) != nullptr &&
         IsCodedLinear(node, coded, layer);
}

// The nodes of the graph that are computed on codes, in order. A transformer
// block is taken only as a whole.
std::vector<NodeId> CodedNodes(const ShardLayout& layout, const Graph& graph,
                               const std::map<std::string, LayerNode>& nodes) {
  std::vector<NodeId> coded;
  std::vector<size_t> found(layout.layers.size(), 0);
  for (NodeId id : graph.order()) {
    const auto it = nodes.find(graph.node(id).name);
    if (it == nodes.end()) continue;
    const auto layer = static_cast<size_t>(it->second.layer);
    if (!IsCoded(graph, graph.node(id), it->second, layout.layers[layer])) {
      continue;
    }
    coded.push_back(id);
    found[layer] += it->second.matrices.size();
  }
  std::erase_if(coded, [&](NodeId id) {
    const auto l =
        static_cast<size_t>(nodes.find(graph.node(id).name)->second.layer);
    return layout.layers[l].kind == LayerKind::kTransformer &&
           found[l] != layout.layers[l].matrices.size();
  });
  return coded;
}

}  // namespace

Result<CodedMatrix> CodedLinear::Take() {
  STINT_RETURN_IF_ERROR(gate_->Enter(stage_));
  return CodedMatrix{blocks_, outliers_};
}

Result<std::unique_ptr<CodedLayers>> CodedLayers::Create(
    const ShardCatalog& catalog, const Graph& graph, int slices,
    StageGate* gate) {
  std::unique_ptr<CodedLayers> coded(new CodedLayers(catalog, slices));
  const ShardLayout& layout = catalog.layout;
  const auto nodes = NodesOf(layout);
  int last = -1;
  for (NodeId id : CodedNodes(layout, graph, nodes)) {
    const Node& node = graph.node(id);
    const auto it = nodes.find(node.name);
    const int layer = it->second.layer;
    if (layer < last) {
      return Unsupported("node '" + node.name + "' of layer " +
                         std::to_string(layer) + " comes after layer " +
                         std::to_string(last));
    }
    if (layer > last) {
      coded->layers_.push_back(layer);
      coded->nodes_.push_back(0);
    }
    last = layer;
    auto linear =
        std::make_unique<CodedLinear>(node.name, coded->stages() - 1, gate);
    for (int matrix : it->second.matrices) {
      coded->AddMatrix(layer, matrix, linear.get());
    }
    STINT_RETURN_IF_ERROR(
        CheckCodedMatrix({linear->blocks_, {}}, linear->n_, linear->k_)
            .Annotate("node '" + node.name + "'"));
    coded->SetOutliers(layer, linear.get());
    ++coded->nodes_.back();
    coded->linear_.push_back(std::move(linear));
  }
  return coded;
}

CodedLayers::CodedLayers(const ShardCatalog& catalog, int slices)
    : catalog_(catalog), slices_(slices) {
  for (const CatalogLayer& layer : catalog.layers) {
    first_unit_.emplace_back();
    for (const auto& group : layer.groups) {
      first_unit_.back().push_back(static_cast<int>(units_.size()));
      for (const ReadUnit& unit : group) {
        units_.push_back({unit.offset, unit.bytes, unit.checksum, false});
      }
    }
  }
}

int CodedLayers::SlicesOf(int layer) const {
  const ShardLayer& shards = catalog_.layout.layers[layer];
  const bool cut = slices_ > 0 && shards.kind == LayerKind::kTransformer;
  return cut ? std::min(slices_, shards.slices) : shards.slices;
}

CodedLinear::Source CodedLayers::SourceOf(int layer, int matrix,
                                          int slice) const {
  const ShardLayer& shards = catalog_.layout.layers[layer];
  const auto& groups = catalog_.layers[layer].groups;
  CodedLinear::Source source{matrix, slice, {}};
  for (size_t g = 0; g < groups.size(); ++g) {
    const auto unit = std::find_if(
        groups[g].begin(), groups[g].end(), [&](const ReadUnit& u) {
          return slice >= u.first_slice && slice < u.first_slice + u.slices;
        });
    const int group = static_cast<int>(g);
    int64_t at = 0;
    for (int s = unit->first_slice; s < slice; ++s) {
      at += SliceBytes(shards, s, group);
    }
    for (int before = 0; before < matrix; ++before) {
      at += 8 * GroupPlanes(group) *
            shards.matrices[before].BlockShape(slice).plane_words();
    }
    source.groups.push_back(
        {first_unit_[layer][g] + static_cast<int>(unit - groups[g].begin()),
         at});
  }
  return source;
}

void CodedLayers::AddMatrix(int layer, int matrix, CodedLinear* linear) {
  const ShardMatrix& m = catalog_.layout.layers[layer].matrices[matrix];
  const int slices = SlicesOf(layer);
  const bool by_outputs = m.cut == PlaneCut::kOutputs;
  for (int slice = 0; slice < slices; ++slice) {
    CodedBlock block;
    block.shape = m.BlockShape(slice);
    if (block.shape.outputs == 0 || block.shape.inputs == 0) continue;
    block.output = linear->n_ + (by_outputs ? m.bounds[slice] : 0);
    block.input = by_outputs ? 0 : m.bounds[slice];
    block.bits = kPlaneMinBits;
    linear->blocks_.push_back(block);
    linear->sources_.push_back(SourceOf(layer, matrix, slice));
    most_plane_bytes_ =
        std::max(most_plane_bytes_, block.shape.plane_words() * 8);
  }
  const int64_t outputs = by_outputs ? m.bounds[slices] : m.outputs;
  const float* scales =
      catalog_.layers[layer].matrices[matrix].scales.data<float>();
  linear->scales_.insert(linear->scales_.end(), scales, scales + outputs);
  linear->n_ += outputs;
  linear->k_ = by_outputs ? m.inputs : m.bounds[slices];
}

// An outlier's code is at the end of the dictionary; the rest of its weight is
// added apart.
void CodedLayers::SetOutliers(int layer, CodedLinear* linear) {
  const ShardLayer& shards = catalog_.layout.layers[layer];
  linear->outliers_.clear();
  for (size_t i = 0; i < linear->blocks_.size(); ++i) {
    const CodedLinear::Source& source = linear->sources_[i];
    CodedBlock& block = linear->blocks_[i];
    const CatalogMatrix& entry = catalog_.layers[layer].matrices[source.matrix];
    const std::span<const int8_t> values =
        catalog_.Values(entry.blocks[source.slice].dictionary, block.bits);
    block.values = values.data();
    for (const PlaneOutlier& outlier :
         OutliersOf(shards.matrices[source.matrix], entry, source.slice)) {
      const int code = OutlierCode(outlier.value) >> (8 - block.bits);
      const int64_t output = block.output + outlier.output;
      linear->outliers_.push_back(
          {static_cast<int32_t>(output),
           static_cast<int32_t>(block.input + outlier.input),
           outlier.value - linear->scales_[output] * values[code]});
    }
  }
  std::stable_sort(linear->outliers_.begin(), linear->outliers_.end(),
                   [](const CodedOutlier& a, const CodedOutlier& b) {
                     return a.output < b.output;
                   });
}

void CodedLayers::SetBits(const std::vector<std::vector<int>>& bits) {
  for (const auto& linear : linear_) {
    const std::vector<int>& of = bits[static_cast<size_t>(linear->stage_)];
    for (size_t i = 0; i < linear->blocks_.size(); ++i) {
      linear->blocks_[i].bits =
          of[static_cast<size_t>(linear->sources_[i].slice)];
    }
    SetOutliers(layer(linear->stage_), linear.get());
  }
}

void CodedLayers::SetBits(int bits) {
  std::vector<std::vector<int>> all;
  for (int s = 0; s < stages(); ++s) {
    all.emplace_back(static_cast<size_t>(slices(s)), bits);
  }
  SetBits(all);
}

void CodedLayers::SetPlanes(int stage,
                            FunctionRef<const uint8_t*(int unit)> place) {
  for (const auto& linear : linear_) {
    if (linear->stage_ != stage) continue;
    for (size_t i = 0; i < linear->blocks_.size(); ++i) {
      CodedBlock& block = linear->blocks_[i];
      const auto& groups = linear->sources_[i].groups;
      const int64_t words = block.shape.plane_words();
      for (int p = 0; p < block.bits; ++p) {
        const int group = GroupOfPlane(p);
        const auto& [unit, at] = groups[static_cast<size_t>(group)];
        block.planes[p] = reinterpret_cast<const uint64_t*>(place(unit) + at) +
                          (p - GroupFirstPlane(group)) * words;
      }
    }
  }
}

void CodedLayers::SetPlanes(const uint8_t* zeros) {
  for (const auto& linear : linear_) {
    for (CodedBlock& block : linear->blocks_) {
      std::fill(std::begin(block.planes), std::end(block.planes),
                reinterpret_cast<const uint64_t*>(zeros));
    }
  }
}

}  // namespace stint
