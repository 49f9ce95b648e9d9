#include "convert/compress/match_statistics.h"

#include <algorithm>
#include <cmath>

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

bool HasChannels(const Graph& graph, NodeId id,
                 std::span<Tensor* const> outputs) {
  return BiasInput(graph.node(id).op) >= 0 &&
         WeightsOf(graph, id).has_value() &&
         std::all_of(outputs.begin(), outputs.end(), [](const Tensor* t) {
           return t->rank() >= 2 && t->size() > 0;
         });
}

ChannelStatistics Measure(std::span<Tensor* const> outputs) {
  const auto channels = static_cast<size_t>(outputs[0]->dim(1));
  std::vector<double> sum(channels, 0), squares(channels, 0);
  double count = 0;
  for (Tensor* output : outputs) {
    ForEachChannel(output, [&](size_t c, const float* x, int64_t n) {
      for (int64_t i = 0; i < n; ++i) {
        sum[c] += x[i];
        squares[c] += static_cast<double>(x[i]) * x[i];
      }
      count += static_cast<double>(n) / static_cast<double>(channels);
    });
  }
  ChannelStatistics made{sum, squares};
  for (size_t c = 0; c < channels; ++c) {
    made.mean[c] = sum[c] / count;
    made.variance[c] =
        std::max(0.0, squares[c] / count - made.mean[c] * made.mean[c]);
  }
  return made;
}

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
  GraphStatistics statistics;
  STINT_RETURN_IF_ERROR(RunLayerwise(
      graph, samples, pool, [&](NodeId id, std::span<Tensor* const> outputs) {
        if (HasChannels(graph, id, outputs)) {
          statistics[id] = Measure(outputs);
        }
        return OkStatus();
      }));
  return statistics;
}

Result<int> MatchStatistics(const GraphStatistics& original,
                            const Samples& samples, ThreadPool* pool,
                            const MatchOptions& options, Graph* graph) {
  std::map<NodeId, ChannelMap> maps;
  STINT_RETURN_IF_ERROR(RunLayerwise(
      *graph, samples, pool, [&](NodeId id, std::span<Tensor* const> outputs) {
        const auto wanted = original.find(id);
        if (wanted == original.end() || !HasChannels(*graph, id, outputs)) {
          return OkStatus();
        }
        const auto kept = options.kept.find(id);
        const ChannelMap map = Match(
            Measure(outputs), wanted->second,
            kept == options.kept.end() ? std::vector<int64_t>() : kept->second,
            options.variance);
        for (Tensor* output : outputs) {
          ForEachChannel(output, [&](size_t c, float* x, int64_t n) {
            for (int64_t i = 0; i < n; ++i) {
              x[i] = map.scale[c] * x[i] + map.shift[c];
            }
          });
        }
        maps[id] = map;
        return OkStatus();
      }));
  for (const auto& [id, map] : maps) {
    STINT_RETURN_IF_ERROR(ApplyToNode(map, id, graph));
  }
  return static_cast<int>(maps.size());
}

}  // namespace stint
