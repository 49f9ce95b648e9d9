#include "engine/device/conv_costs.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sstream>

namespace stint {
namespace {

std::string Times(int64_t a, int64_t b) {
  return std::to_string(a) + "x" + std::to_string(b);
}

}  // namespace

std::string ConvLayerName(const ConvF32Shape& s, ImageLayout input) {
  return Times(s.batch, s.in_channels) + "x" + Times(s.in_h, s.in_w) + "-" +
         std::to_string(s.out_channels) + "x" + Times(s.out_h, s.out_w) + "-k" +
         Times(s.kernel_h, s.kernel_w) + "-s" + Times(s.stride_h, s.stride_w) +
         "-d" + Times(s.dilation_h, s.dilation_w) + "-p" +
         Times(s.pad_top, s.pad_left) + "-g" + std::to_string(s.groups) +
         (input == ImageLayout::kPlain ? "-plain" : "-blocked");
}

void ConvCosts::Set(const std::string& layer,
                    std::vector<PrimitiveCost> costs) {
  std::stable_sort(costs.begin(), costs.end(),
                   [](const PrimitiveCost& a, const PrimitiveCost& b) {
                     return a.us < b.us;
                   });
  layers_[layer] = std::move(costs);
}

const std::vector<PrimitiveCost>* ConvCosts::Find(
    const std::string& layer) const {
  const auto it = layers_.find(layer);
  return it != layers_.end() ? &it->second : nullptr;
}

std::string ConvCosts::ToText() const {
  std::string text;
  for (const auto& [layer, costs] : layers_) {
    text += layer;
    for (const PrimitiveCost& cost : costs) {
      char us[32];
      std::snprintf(us, sizeof(us), " %.2f", cost.us);
      text += " " + cost.primitive + us;
    }
    text += "\n";
  }
  return text;
}

Result<ConvCosts> ConvCosts::Parse(std::string_view text) {
  ConvCosts table;
  std::istringstream lines{std::string(text)};
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    std::istringstream words(line);
    std::string layer;
    words >> layer;
    std::vector<PrimitiveCost> costs;
    PrimitiveCost cost;
    bool valid = true;
    while (valid && words >> cost.primitive) {
      valid = words >> cost.us && std::isfinite(cost.us) && cost.us > 0;
      costs.push_back(cost);
    }
    if (!valid || costs.empty()) {
      return Damaged("convolution costs: line " + std::to_string(number) +
                     " is wrong: " + line.substr(0, 80));
    }
    table.Set(layer, std::move(costs));
  }
  return table;
}

}  // namespace stint
