#include "engine/elastic/coded_layers.h"

#include <algorithm>

#include "core/base/heap_bytes.h"
#include "engine/elastic/coded_nodes.h"

namespace stint {
namespace {

constexpr int64_t kWordBytes = 8;

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
    coded->ReserveOutliers(layer, linear.get());
    coded->SetOutliers(layer, linear.get());
    ++coded->nodes_.back();
    coded->linear_.push_back(std::move(linear));
  }
  catalog.ReleaseTensors();
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

CodedLinear::PlanePlace CodedLayers::PlaceOf(int layer,
                                             const CodedLinear::Source& source,
                                             int group) const {
  const ShardLayer& shards = catalog_.layout.layers[layer];
  const auto& units = catalog_.layers[layer].groups[group];
  const auto unit =
      std::find_if(units.begin(), units.end(), [&](const ReadUnit& u) {
        return source.slice < u.first_slice + u.slices;
      });
  int64_t at = 0;
  for (int s = unit->first_slice; s < source.slice; ++s) {
    at += SliceBytes(shards, s, group) / kWordBytes;
  }
  for (int before = 0; before < source.matrix; ++before) {
    at += GroupPlanes(group) *
          shards.matrices[before].BlockShape(source.slice).plane_words();
  }
  return {first_unit_[layer][group] + static_cast<int>(unit - units.begin()),
          static_cast<uint32_t>(at)};
}

void CodedLayers::AddBlock(int layer, const CodedLinear::Source& source,
                           const CodedBlock& block, CodedLinear* linear) {
  linear->blocks_.push_back(block);
  linear->sources_.push_back(source);
  for (int group = 0; group < catalog_.groups(); ++group) {
    linear->places_.push_back(PlaceOf(layer, source, group));
  }
  most_plane_bytes_ =
      std::max(most_plane_bytes_, block.shape.plane_words() * kWordBytes);
}

void CodedLayers::AddMatrix(int layer, int matrix, CodedLinear* linear) {
  const ShardMatrix& m = catalog_.layout.layers[layer].matrices[matrix];
  const int slices = SlicesOf(layer);
  const bool by_outputs = m.cut == PlaneCut::kOutputs;
  const size_t blocks = linear->blocks_.size() + static_cast<size_t>(slices);
  linear->blocks_.reserve(blocks);
  linear->sources_.reserve(blocks);
  linear->places_.reserve(blocks * static_cast<size_t>(catalog_.groups()));
  for (int slice = 0; slice < slices; ++slice) {
    CodedBlock block;
    block.shape = m.BlockShape(slice);
    if (block.shape.outputs == 0 || block.shape.inputs == 0) continue;
    block.output = linear->n_ + (by_outputs ? m.bounds[slice] : 0);
    block.input = by_outputs ? 0 : m.bounds[slice];
    block.bits = kPlaneMinBits;
    AddBlock(layer, {matrix, slice}, block, linear);
  }
  const int64_t outputs = by_outputs ? m.bounds[slices] : m.outputs;
  const float* scales =
      catalog_.layers[layer].matrices[matrix].scales.data<float>();
  linear->scales_.reserve(static_cast<size_t>(linear->n_ + outputs));
  linear->scales_.insert(linear->scales_.end(), scales, scales + outputs);
  linear->n_ += outputs;
  linear->k_ = by_outputs ? m.inputs : m.bounds[slices];
}

// There are as many at every fidelity.
void CodedLayers::ReserveOutliers(int layer, CodedLinear* linear) const {
  int64_t outliers = 0;
  for (const CodedLinear::Source& source : linear->sources_) {
    outliers += catalog_.layers[layer]
                    .matrices[source.matrix]
                    .blocks[source.slice]
                    .outliers;
  }
  linear->outliers_.reserve(static_cast<size_t>(outliers));
}

// An outlier's code is at the end of the dictionary; the rest of its weight is
// added apart.
void CodedLayers::SetOutliers(int layer, CodedLinear* linear) {
  const ShardLayer& shards = catalog_.layout.layers[layer];
  linear->outliers_.clear();
  size_t size = 0;
  for (const CodedBlock& block : linear->blocks_) {
    size += size_t{1} << block.bits;
  }
  linear->values_ = std::vector<int8_t>(size);
  int8_t* copy = linear->values_.data();
  for (size_t i = 0; i < linear->blocks_.size(); ++i) {
    const CodedLinear::Source& source = linear->sources_[i];
    CodedBlock& block = linear->blocks_[i];
    const CatalogMatrix& entry = catalog_.layers[layer].matrices[source.matrix];
    const std::span<const int8_t> values =
        catalog_.Values(entry.blocks[source.slice].dictionary, block.bits);
    block.values = copy;
    copy = std::copy(values.begin(), values.end(), copy);
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
  int stage = -1;
  for (const auto& linear : linear_) {
    if (linear->stage_ != stage) catalog_.ReleaseTensors();
    stage = linear->stage_;
    const std::vector<int>& of = bits[static_cast<size_t>(linear->stage_)];
    for (size_t i = 0; i < linear->blocks_.size(); ++i) {
      linear->blocks_[i].bits =
          of[static_cast<size_t>(linear->sources_[i].slice)];
    }
    SetOutliers(layer(linear->stage_), linear.get());
  }
  catalog_.ReleaseTensors();
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
      const CodedLinear::PlanePlace* places =
          linear->places_.data() + i * static_cast<size_t>(catalog_.groups());
      const int64_t words = block.shape.plane_words();
      for (int p = 0; p < block.bits; ++p) {
        const int group = GroupOfPlane(p);
        const auto& [unit, word] = places[group];
        block.planes[p] = reinterpret_cast<const uint64_t*>(place(unit)) +
                          word + (p - GroupFirstPlane(group)) * words;
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

int64_t CodedLayers::heap_bytes() const {
  int64_t bytes = HeapBytes(linear_) + HeapBytes(units_);
  for (const auto& linear : linear_) {
    bytes += BlockBytes(sizeof(CodedLinear)) + HeapBytes(linear->scales_) +
             HeapBytes(linear->blocks_) + HeapBytes(linear->sources_) +
             HeapBytes(linear->places_) + HeapBytes(linear->outliers_) +
             HeapBytes(linear->values_);
  }
  return bytes;
}

}  // namespace stint
