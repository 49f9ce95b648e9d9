#include "convert/compress/prune/prune_weights.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "core/base/checked_math.h"

namespace stint {
namespace {

// Of what the average layer keeps, the share that any layer keeps.
constexpr double kLeastKept = 0.2;

// The blocks of a layer, numbered.
class BlockGrid {
 public:
  BlockGrid(const WeightMatrix& matrix, const WeightPruning& pruning)
      : matrix_(matrix),
        outputs_(pruning.block),
        channels_(pruning.channels),
        per_place_(CeilDiv(matrix.outputs, outputs_)),
        places_(CeilDiv(matrix.inputs / matrix.taps, channels_) * matrix.taps) {
  }

  int64_t size() const { return per_place_ * places_; }

  // body(index of a weight) for those of a block.
  template <class Body>
  void ForEach(int64_t block, const Body& body) const {
    const int64_t place = block / per_place_;
    const int64_t first = block % per_place_ * outputs_;
    const int64_t end = std::min(matrix_.outputs, first + outputs_);
    const int64_t channel = place / matrix_.taps * channels_;
    const int64_t last =
        std::min(matrix_.inputs / matrix_.taps, channel + channels_);
    for (int64_t o = first; o < end; ++o) {
      for (int64_t c = channel; c < last; ++c) {
        body(matrix_.At(o, c * matrix_.taps + place % matrix_.taps));
      }
    }
  }

 private:
  const WeightMatrix& matrix_;
  const int64_t outputs_;
  const int64_t channels_;
  const int64_t per_place_;
  const int64_t places_;
};

struct ScoredLayer {
  WeightMatrix matrix;
  std::vector<float> scores;  // by block
  int64_t most = 0;           // blocks that may go
  int64_t count = 0;          // blocks that go
};

// The root mean square of each block.
std::vector<float> ScoreBlocks(const BlockGrid& blocks, const float* w) {
  std::vector<float> scores(static_cast<size_t>(blocks.size()));
  for (int64_t b = 0; b < blocks.size(); ++b) {
    double sum = 0;
    int64_t count = 0;
    blocks.ForEach(b, [&](int64_t i) {
      sum += static_cast<double>(w[i]) * w[i];
      ++count;
    });
    scores[static_cast<size_t>(b)] =
        static_cast<float>(std::sqrt(sum / static_cast<double>(count)));
  }
  return scores;
}

// Each score's square relative to the sum of its own and all larger ones' in
// the layer ("LAMP", Lee et al., ICLR 2021): layers have different scales, most
// of all where batch norms were folded into them. Keeps the order.
void CompareWithinLayer(std::vector<float>* scores) {
  std::vector<int32_t> order(scores->size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](int32_t a, int32_t b) { return (*scores)[a] > (*scores)[b]; });
  double larger = 0;
  for (int32_t i : order) {
    const double square = static_cast<double>((*scores)[i]) * (*scores)[i];
    larger += square;
    (*scores)[i] = larger > 0 ? static_cast<float>(square / larger) : 0.0f;
  }
}

// How many blocks have a score below `limit`, as far as they may go.
int64_t CountBelow(const std::vector<float>& sorted, float limit,
                   int64_t most) {
  const auto end = std::lower_bound(sorted.begin(), sorted.end(), limit);
  return std::min<int64_t>(most, end - sorted.begin());
}

// Decides how many blocks of each layer go so that `target` go in all: those
// below one score, by bisection over its bits (positive floats are ordered as
// their bits are).
void ShareOut(int64_t target, std::vector<ScoredLayer>* layers) {
  std::vector<std::vector<float>> sorted;
  for (const ScoredLayer& layer : *layers) {
    sorted.push_back(layer.scores);
    std::sort(sorted.back().begin(), sorted.back().end());
  }
  const auto total_below = [&](float limit) {
    int64_t total = 0;
    for (size_t l = 0; l < layers->size(); ++l) {
      total += CountBelow(sorted[l], limit, (*layers)[l].most);
    }
    return total;
  };
  uint32_t low = 0;
  uint32_t high = 0x7f800000;  // infinity: everything is below
  while (low + 1 < high) {
    const uint32_t middle = low + (high - low) / 2;
    float limit = 0;
    std::memcpy(&limit, &middle, sizeof(limit));
    (total_below(limit) <= target ? low : high) = middle;
  }
  float limit = 0;
  std::memcpy(&limit, &low, sizeof(limit));
  int64_t left = target - total_below(limit);
  for (size_t l = 0; l < layers->size(); ++l) {
    ScoredLayer& layer = (*layers)[l];
    layer.count = CountBelow(sorted[l], limit, layer.most);
    // Of equal scores the first layers' go.
    const int64_t equal =
        std::upper_bound(sorted[l].begin(), sorted[l].end(), limit) -
        sorted[l].begin() - layer.count;
    const int64_t more =
        std::clamp<int64_t>(left, 0, std::min(equal, layer.most - layer.count));
    layer.count += more;
    left -= more;
  }
}

// Zeroes the layer.count blocks of smallest score; returns how many weights of
// the layer are 0 then.
int64_t Zero(const ScoredLayer& layer, const WeightPruning& pruning, float* w) {
  std::vector<int32_t> order(layer.scores.size());
  std::iota(order.begin(), order.end(), 0);
  std::nth_element(order.begin(), order.begin() + layer.count, order.end(),
                   [&](int32_t a, int32_t b) {
                     return std::pair(layer.scores[a], a) <
                            std::pair(layer.scores[b], b);
                   });
  const BlockGrid blocks(layer.matrix, pruning);
  for (int64_t k = 0; k < layer.count; ++k) {
    blocks.ForEach(order[static_cast<size_t>(k)], [&](int64_t i) { w[i] = 0; });
  }
  return std::count(w, w + layer.matrix.size(), 0.0f);
}

std::vector<ScoredLayer> ScoreLayers(const WeightPruning& pruning,
                                     const Graph& graph) {
  std::vector<ScoredLayer> layers;
  for (const WeightMatrix& matrix : FindWeights(graph)) {
    const auto own = pruning.ratios.find(graph.node(matrix.node).name);
    if (!pruning.ratios.empty() && own == pruning.ratios.end()) continue;
    const double ratio = pruning.ratios.empty() ? pruning.ratio : own->second;
    const Tensor& w = *graph.value(matrix.value).constant;
    ScoredLayer layer{matrix,
                      ScoreBlocks(BlockGrid(matrix, pruning), w.data<float>())};
    const auto blocks = static_cast<double>(layer.scores.size());
    layer.most = static_cast<int64_t>(blocks * (1 - kLeastKept * (1 - ratio)));
    layer.count = std::llround(blocks * ratio);
    layers.push_back(std::move(layer));
  }
  return layers;
}

}  // namespace

Status CheckRatio(double ratio) {
  if (ratio >= 0 && ratio < 1) return OkStatus();
  return InvalidArgument("pruning ratio is " + std::to_string(ratio) +
                         ", expected at least 0 and less than 1");
}

Result<std::vector<PrunedLayer>> PruneWeights(const WeightPruning& pruning,
                                              Graph* graph) {
  STINT_RETURN_IF_ERROR(CheckRatio(pruning.ratio));
  for (const auto& [name, ratio] : pruning.ratios) {
    STINT_RETURN_IF_ERROR(CheckRatio(ratio).Annotate(name));
  }
  std::vector<ScoredLayer> layers = ScoreLayers(pruning, *graph);
  if (layers.empty()) {
    return Unsupported(
        "the model has no convolution or matrix product with float32 weights "
        "to prune");
  }
  if (!pruning.per_layer && pruning.ratios.empty()) {
    int64_t blocks = 0;
    for (ScoredLayer& layer : layers) {
      blocks += std::ssize(layer.scores);
      CompareWithinLayer(&layer.scores);
    }
    ShareOut(std::llround(static_cast<double>(blocks) * pruning.ratio),
             &layers);
  }
  std::vector<PrunedLayer> report;
  for (const ScoredLayer& layer : layers) {
    STINT_ASSIGN_OR_RETURN(float* w, OwnWeights(layer.matrix, graph));
    report.push_back({graph->node(layer.matrix.node).name, layer.matrix.size(),
                      Zero(layer, pruning, w)});
  }
  return report;
}

}  // namespace stint
