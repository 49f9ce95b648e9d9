#include "engine/lower/activation_ranges.h"

namespace stint {

ActivationRanges RangesOf(const Graph& graph) {
  ActivationRanges ranges(graph.num_values());
  bool any = false;
  for (size_t i = 0; i < ranges.size(); ++i) {
    ranges[i] = graph.value({static_cast<int32_t>(i)}).range;
    any |= ranges[i].has_value();
  }
  return any ? ranges : ActivationRanges();
}

void SetRanges(const ActivationRanges& ranges, Graph* graph) {
  for (size_t i = 0; i < ranges.size(); ++i) {
    graph->value({static_cast<int32_t>(i)}).range = ranges[i];
  }
}

}  // namespace stint
