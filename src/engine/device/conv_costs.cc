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

std::optional<NamedConvLayer> ParseConvLayerName(const std::string& name) {
  long long n[16] = {};
  char layout[8] = {};
  const int found = std::sscanf(
      name.c_str(),
      "%lldx%lldx%lldx%lld-%lldx%lldx%lld-k%lldx%lld-s%lldx%lld-d%lldx%lld-"
      "p%lldx%lld-g%lld-%7s",
      &n[0], &n[1], &n[2], &n[3], &n[4], &n[5], &n[6], &n[7], &n[8], &n[9],
      &n[10], &n[11], &n[12], &n[13], &n[14], &n[15], layout);
  NamedConvLayer layer;
  ConvF32Shape& s = layer.shape;
  int64_t* const fields[] = {
      &s.batch,        &s.in_channels, &s.in_h,     &s.in_w,
      &s.out_channels, &s.out_h,       &s.out_w,    &s.kernel_h,
      &s.kernel_w,     &s.stride_h,    &s.stride_w, &s.dilation_h,
      &s.dilation_w,   &s.pad_top,     &s.pad_left, &s.groups};
  for (int i = 0; i < 16; ++i) {
    if (n[i] < (i == 13 || i == 14 ? 0 : 1) || n[i] > (1 << 24)) {
      return std::nullopt;
    }
    *fields[i] = n[i];
  }
  layer.input = std::string_view(layout) == "plain" ? ImageLayout::kPlain
                                                    : ImageLayout::kBlocked;
  const bool same = found == 17 && ConvLayerName(s, layer.input) == name;
  return same ? std::optional(layer) : std::nullopt;
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
