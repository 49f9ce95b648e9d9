#include "lab/stack/layer_times.h"

#include <algorithm>
#include <cstdio>

namespace stint {
namespace {

struct LayerTime {
  std::string kernel;
  double us = 0;
};

// By node.
std::map<std::string, LayerTime> LayersOf(
    const std::map<std::string, double>& figures) {
  const std::string prefix = kLayerPrefix;
  std::map<std::string, LayerTime> layers;
  for (auto it = figures.lower_bound(prefix); it != figures.end(); ++it) {
    if (!it->first.starts_with(prefix)) break;
    // Names of nodes may have slashes, those of kernels have none.
    const size_t slash = it->first.rfind('/');
    const std::string node =
        it->first.substr(prefix.size(), slash - prefix.size());
    layers[node] = {it->first.substr(slash + 1), it->second};
  }
  return layers;
}

}  // namespace

void TakeLayerTimes(const std::vector<StepRecord>& steps, Outcome* outcome) {
  std::map<std::string, double> sums;
  for (const StepRecord& step : steps) {
    sums[kLayerPrefix + step.node + "/" +
         (step.kernel.empty() ? step.op : step.kernel)] += step.run_us;
  }
  for (const auto& [name, us] : sums) outcome->samples[name] = {us};
}

std::string SlowerText(const SlowerLayer& layer) {
  char times[64];
  std::snprintf(times, sizeof(times), " %.0f us", layer.after_us);
  std::string text = layer.name + ": ";
  if (!layer.kernel_before.empty()) {
    char before[64];
    std::snprintf(before, sizeof(before), " %.0f us, ", layer.before_us);
    text += layer.kernel_before + before;
  }
  return text + layer.kernel_after + times;
}

std::vector<SlowerLayer> FindSlowerLayers(
    const std::map<std::string, double>& before,
    const std::map<std::string, double>& after, size_t most) {
  const auto old_layers = LayersOf(before);
  std::vector<SlowerLayer> slower;
  for (const auto& [name, now] : LayersOf(after)) {
    SlowerLayer layer{name, 0, now.us, "", now.kernel};
    const auto then = old_layers.find(name);
    if (then != old_layers.end()) {
      layer.before_us = then->second.us;
      layer.kernel_before = then->second.kernel;
    }
    if (layer.after_us > layer.before_us) slower.push_back(std::move(layer));
  }
  std::stable_sort(slower.begin(), slower.end(),
                   [](const SlowerLayer& a, const SlowerLayer& b) {
                     return a.after_us - a.before_us > b.after_us - b.before_us;
                   });
  slower.resize(std::min(slower.size(), most));
  return slower;
}

}  // namespace stint
