#include "lab/stack/layer_times.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

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

void TakeLayerTimes(const std::string& json, Outcome* outcome) {
  const auto found = nlohmann::json::parse(json, nullptr,
                                           /*allow_exceptions=*/false);
  if (!found.is_object() || !found.contains("steps")) return;
  std::map<std::string, double> sums;
  for (const auto& step : found["steps"]) {
    if (!step.is_object() || !step.contains("node") || !step.contains("op") ||
        !step.contains("run_us") || !step["run_us"].is_number()) {
      continue;
    }
    const auto& kernel = step.contains("kernel") ? step["kernel"] : step["op"];
    if (!step["node"].is_string() || !kernel.is_string()) continue;
    sums[kLayerPrefix + step["node"].get<std::string>() + "/" +
         kernel.get<std::string>()] += step["run_us"].get<double>();
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
