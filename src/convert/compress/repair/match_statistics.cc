#include "convert/compress/repair/match_statistics.h"

#include <algorithm>
#include <cmath>

#include "convert/compress/repair/streamed_runs.h"
#include "convert/compress/weight_matrix.h"

namespace stint {
namespace {

// A channel of which little is left would otherwise be noise made loud.
constexpr double kMostScale = 3;

// y = scale * x + shift, per channel.
struct ChannelMap {
  std::vector<float> scale;
  std::vector<float> shift;
};

// f(channel, numbers of it, how many); channels are dimension 1, of matrices
// and of images alike.
template <typename T, typename F>
void ForEachChannel(T* tensor, F f) {
  const int64_t channels = tensor->dim(1);
  const int64_t inner = tensor->size() / (tensor->dim(0) * channels);
  auto* x = tensor->template data<float>();
  for (int64_t n = 0; n < tensor->dim(0); ++n) {
    for (int64_t c = 0; c < channels; ++c, x += inner) {
      f(static_cast<size_t>(c), x, inner);
    }
  }
}

bool HasChannels(const Graph& graph, NodeId id, const Tensor& output) {
  return BiasInput(graph.node(id).op) >= 0 &&
         WeightsOf(graph, id).has_value() && output.rank() >= 2;
}

// Of the channels of a layer, sample by sample.
class ChannelSums {
 public:
  void Add(Tensor* output) {
    const auto channels = static_cast<size_t>(output->dim(1));
    sum_.resize(channels, 0);
    squares_.resize(channels, 0);
    ForEachChannel(output, [&](size_t c, const float* x, int64_t n) {
      for (int64_t i = 0; i < n; ++i) {
        sum_[c] += x[i];
        squares_[c] += static_cast<double>(x[i]) * x[i];
      }
      count_ += static_cast<double>(n) / static_cast<double>(channels);
    });
  }

  ChannelStatistics Finish() const {
    ChannelStatistics made{sum_, squares_};
    for (size_t c = 0; c < sum_.size(); ++c) {
      made.mean[c] = sum_[c] / count_;
      made.variance[c] =
          std::max(0.0, squares_[c] / count_ - made.mean[c] * made.mean[c]);
    }
    return made;
  }

 private:
  std::vector<double> sum_;
  std::vector<double> squares_;
  double count_ = 0;
};

ChannelMap Match(const ChannelStatistics& found,
                 const ChannelStatistics& wanted,
                 const std::vector<int64_t>& kept, bool variance) {
  ChannelMap map;
  for (size_t c = 0; c < found.mean.size(); ++c) {
    const size_t from = kept.empty() ? c : static_cast<size_t>(kept[c]);
    double scale = 1;
    if (variance && found.variance[c] > 0) {
      scale = std::clamp(std::sqrt(wanted.variance[from] / found.variance[c]),
                         1 / kMostScale, kMostScale);
    }
    map.scale.push_back(static_cast<float>(scale));
    map.shift.push_back(
        static_cast<float>(wanted.mean[from] - scale * found.mean[c]));
  }
  return map;
}

// Makes the node's weights and bias, of which it gets its own, do the map.
Status ApplyToNode(const ChannelMap& map, NodeId id, Graph* graph) {
  const WeightMatrix matrix = *WeightsOf(*graph, id);
  STINT_ASSIGN_OR_RETURN(float* w, OwnWeights(matrix, graph));
  STINT_ASSIGN_OR_RETURN(float* bias, OwnBias(matrix, graph));
  for (int64_t o = 0; o < matrix.outputs; ++o) {
    const float scale = map.scale[static_cast<size_t>(o)];
    for (int64_t i = 0; i < matrix.inputs; ++i) w[matrix.At(o, i)] *= scale;
    bias[o] = scale * bias[o] + map.shift[static_cast<size_t>(o)];
  }
  return OkStatus();
}

}  // namespace

Result<GraphStatistics> MeasureStatistics(const Graph& graph,
                                          const Samples& samples,
                                          ThreadPool* pool) {
  std::map<NodeId, ChannelSums> sums;
  STINT_RETURN_IF_ERROR(
      RunLayerwise(graph, samples, pool, [&](NodeId id, Tensor* output) {
        if (HasChannels(graph, id, *output)) sums[id].Add(output);
        return OkStatus();
      }));
  GraphStatistics statistics;
  for (const auto& [id, sum] : sums) statistics[id] = sum.Finish();
  return statistics;
}

Result<int> MatchStatistics(const GraphStatistics& original,
                            const Samples& samples, ThreadPool* pool,
                            const MatchOptions& options, Graph* graph) {
  const ThreadPool::Run awake(pool);
  StreamedRuns runs({.original = graph, .order = graph->order()}, samples,
                    options.kept_bytes, pool);
  STINT_RETURN_IF_ERROR(runs.Measure());
  int matched = 0;
  const std::vector<NodeId> order = graph->order();
  for (size_t position = 0; position < order.size(); ++position) {
    const NodeId id = order[position];
    const auto wanted = original.find(id);
    if (wanted == original.end()) continue;
    ChannelSums sums;
    bool found = false;
    STINT_RETURN_IF_ERROR(
        runs.Visit(position, [&](size_t, LayerRun* run, LayerRun*) {
          Tensor* output = run->Find(graph->node(id).outputs[0]);
          found = output != nullptr && HasChannels(*graph, id, *output);
          if (found) sums.Add(output);
          return OkStatus();
        }));
    if (!found) continue;
    const auto kept = options.kept.find(id);
    const ChannelMap map = Match(
        sums.Finish(), wanted->second,
        kept == options.kept.end() ? std::vector<int64_t>() : kept->second,
        options.variance);
    STINT_RETURN_IF_ERROR(ApplyToNode(map, id, graph));
    ++matched;
  }
  return matched;
}

}  // namespace stint
