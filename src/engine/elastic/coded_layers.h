#pragma once
// The layers of an elastic file as kernels read them: which read unit has which
// plane of which block, and what that makes of a plan.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/function_ref.h"
#include "engine/bind/coded_weights.h"
#include "engine/plan/plan.h"
#include "model/graph/graph.h"
#include "weights/shards/shard_catalog.h"
#include "weights/stream/unit_stream.h"

namespace stint {

// Gives and takes back the weights of stages, one after the other.
class StageGate {
 public:
  virtual ~StageGate() = default;
  // The weights of a stage are in place when this returns.
  virtual Status Enter(int stage) = 0;
  // A node of the stage is done with them.
  virtual void Leave(int stage) = 0;
};

// One linear node or convolution whose weights are matrices of a layer, side by
// side by their outputs.
class CodedLinear : public CodedWeights {
 public:
  CodedLinear(std::string node, int stage, StageGate* gate)
      : node_(std::move(node)), stage_(stage), gate_(gate) {}

  const std::string& node() const { return node_; }
  int stage() const { return stage_; }
  int64_t n() const override { return n_; }
  int64_t k() const override { return k_; }
  std::span<const float> scales() const override { return scales_; }
  int64_t outliers() const override {
    return static_cast<int64_t>(outliers_.size());
  }
  Result<CodedMatrix> Take() override;
  void Done() override { gate_->Leave(stage_); }

 private:
  friend class CodedLayers;
  // Where a block's planes of one group are: a unit and the word of the first
  // plane there.
  struct PlanePlace {
    int32_t unit = 0;
    uint32_t word = 0;
  };
  struct Source {
    int matrix = 0;  // of the layer
    int slice = 0;
  };

  const std::string node_;
  const int stage_;
  StageGate* const gate_;
  int64_t n_ = 0;
  int64_t k_ = 0;
  std::vector<float> scales_;
  std::vector<CodedBlock> blocks_;
  std::vector<Source> sources_;     // of blocks_
  std::vector<PlanePlace> places_;  // by block, then group
  std::vector<CodedOutlier> outliers_;
  // What blocks' codes stand for: the few bytes that a fidelity needs of the
  // mapped dictionaries lie far apart there.
  std::vector<int8_t> values_;
};

class CodedLayers {
 public:
  // What of the catalog's layers `graph` computes by linear nodes and by
  // convolutions of one group; of transformer blocks, which are taken as a
  // whole or not at all, the first `slices` slices (0: all). kUnsupported when
  // it computes them in another order than that of the catalog. Catalog and
  // gate outlive it.
  static Result<std::unique_ptr<CodedLayers>> Create(
      const ShardCatalog& catalog, const Graph& graph, int slices,
      StageGate* gate);

  // Stages are the layers that are computed on codes, in order.
  int stages() const { return static_cast<int>(layers_.size()); }
  int slices(int stage) const { return SlicesOf(layer(stage)); }
  // Number of a stage's layer in the catalog.
  int layer(int stage) const { return layers_[static_cast<size_t>(stage)]; }
  int nodes(int stage) const { return nodes_[static_cast<size_t>(stage)]; }
  const std::vector<std::unique_ptr<CodedLinear>>& linear() const {
    return linear_;
  }

  // All units of the file, and the number of a stage's unit among them.
  const std::vector<StreamUnit>& units() const { return units_; }
  int unit(int stage, size_t group, size_t unit) const {
    return first_unit_[static_cast<size_t>(layer(stage))][group] +
           static_cast<int>(unit);
  }

  // By stage, then slice.
  void SetBits(const std::vector<std::vector<int>>& bits);
  void SetBits(int bits);
  // Planes of the stage's nodes; `place` says where a unit is.
  void SetPlanes(int stage, FunctionRef<const uint8_t*(int unit)> place);
  // The same, with any contents: every plane is `zeros`.
  void SetPlanes(const uint8_t* zeros);
  // What it keeps of the catalog in a form that kernels read.
  int64_t heap_bytes() const;
  // The most bytes of a plane of a block.
  int64_t most_plane_bytes() const { return most_plane_bytes_; }

 private:
  CodedLayers(const ShardCatalog& catalog, int slices);
  int SlicesOf(int layer) const;
  void AddMatrix(int layer, int matrix, CodedLinear* linear);
  CodedLinear::PlanePlace PlaceOf(int layer, const CodedLinear::Source& source,
                                  int group) const;
  void AddBlock(int layer, const CodedLinear::Source& source,
                const CodedBlock& block, CodedLinear* linear);
  void ReserveOutliers(int layer, CodedLinear* linear) const;
  void SetOutliers(int layer, CodedLinear* linear);

  const ShardCatalog& catalog_;
  const int slices_;
  std::vector<int> layers_;
  std::vector<int> nodes_;
  std::vector<std::unique_ptr<CodedLinear>> linear_;
  std::vector<StreamUnit> units_;
  std::vector<std::vector<int>> first_unit_;  // by layer and group
  int64_t most_plane_bytes_ = 0;
};

}  // namespace stint
