#include "convert/compress/prune_weights.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

namespace stint {
namespace {

// Of what the average layer keeps, the share that any layer keeps.
constexpr double kLeastKept = 0.2;

// Blocks of one layer: `scores[input * blocks per input + block of outputs]`.
struct ScoredLayer {
  WeightMatrix matrix;
  std::vector<float> scores;
  int64_t most = 0;   // blocks that may go
  int64_t count = 0;  // blocks that go
};

int64_t BlocksPerInput(const WeightMatrix& matrix, int64_t block) {
  return (matrix.outputs + block - 1) / block;
}

// The root mean square of each block.
std::vector<float> ScoreBlocks(const WeightMatrix& matrix, int64_t block,
                               const float* w) {
  const int64_t per_input = BlocksPerInput(matrix, block);
  std::vector<float> scores(static_cast<size_t>(per_input * matrix.inputs));
  for (int64_t b = 0; b < per_input; ++b) {
    const int64_t end = std::min(matrix.outputs, (b + 1) * block);
    for (int64_t i = 0; i < matrix.inputs; ++i) {
      double sum = 0;
      for (int64_t o = b * block; o < end; ++o) {
        const double x = w[matrix.At(o, i)];
        sum += x * x;
      }
      scores[static_cast<size_t>(i * per_input + b)] = static_cast<float>(
          std::sqrt(sum / static_cast<double>(end - b * block)));
    }
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
int64_t Zero(const ScoredLayer& layer, int64_t block, float* w) {
  std::vector<int32_t> order(layer.scores.size());
  std::iota(order.begin(), order.end(), 0);
  std::nth_element(order.begin(), order.begin() + layer.count, order.end(),
                   [&](int32_t a, int32_t b) {
                     return std::pair(layer.scores[a], a) <
                            std::pair(layer.scores[b], b);
                   });
  const WeightMatrix& matrix = layer.matrix;
  const int64_t per_input = BlocksPerInput(matrix, block);
  for (int64_t k = 0; k < layer.count; ++k) {
    const int64_t i = order[static_cast<size_t>(k)] / per_input;
    const int64_t b = order[static_cast<size_t>(k)] % per_input;
    const int64_t end = std::min(matrix.outputs, (b + 1) * block);
    for (int64_t o = b * block; o < end; ++o) w[matrix.At(o, i)] = 0;
  }
  return std::count(w, w + matrix.size(), 0.0f);
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
                      ScoreBlocks(matrix, pruning.block, w.data<float>())};
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
    return InvalidArgument(
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
                      Zero(layer, pruning.block, w)});
  }
  return report;
}

}  // namespace stint
