#include "cli/importance_map.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace stint::cli {
namespace {

constexpr int kCell = 22;
constexpr int kLeft = 70;
constexpr int kTop = 46;

// What a shard costs at 2 bits, for each layer and slice.
std::vector<std::vector<double>> CostsOf(const ShardCatalog& catalog) {
  std::vector<std::vector<double>> costs;
  const auto groups = static_cast<size_t>(catalog.groups());
  for (const CatalogLayer& layer : catalog.layers) {
    std::vector<double>& row = costs.emplace_back();
    for (size_t i = 0; i + groups <= layer.importance.size(); i += groups) {
      row.push_back(static_cast<double>(layer.importance[i]));
    }
  }
  return costs;
}

// Shades span so many powers of ten below the costliest.
constexpr double kDecades = 2.5;

// [0, 1], by the logarithm: costs differ by powers of ten.
double Shade(double cost, double most) {
  if (cost <= 0 || most <= 0) return 0;
  return std::clamp(1 + std::log10(cost / most) / kDecades, 0.0, 1.0);
}

double Most(const std::vector<std::vector<double>>& costs) {
  double most = 0;
  for (const auto& row : costs) {
    for (double cost : row) most = std::max(most, cost);
  }
  return most;
}

std::string Format(const char* format, double a, double b, double c, double d) {
  char text[256];
  std::snprintf(text, sizeof(text), format, a, b, c, d);
  return text;
}

}  // namespace

std::string ImportanceText(const ShardCatalog& catalog) {
  if (catalog.importance == ImportanceKind::kNone) return "";
  static constexpr const char* kShades[] = {"  ", "░░", "▒▒", "▓▓", "██"};
  const auto costs = CostsOf(catalog);
  const double most = Most(costs);
  char text[96];
  std::snprintf(text, sizeof(text),
                "importance  what answers lose at 2 bits, up to %.2g\n", most);
  std::string map = text;
  for (size_t l = 0; l < costs.size(); ++l) {
    std::snprintf(text, sizeof(text), "layer %-5zu |", l);
    map += text;
    for (double cost : costs[l]) {
      map += kShades[static_cast<size_t>(Shade(cost, most) * 4.999)];
    }
    map += "|\n";
  }
  return map;
}

std::string ImportanceSvg(const ShardCatalog& catalog) {
  const auto costs = CostsOf(catalog);
  const double most = Most(costs);
  size_t widest = 1;
  for (const auto& row : costs) widest = std::max(widest, row.size());
  const double width = kLeft + kCell * static_cast<double>(widest) + 20;
  const double height = kTop + kCell * static_cast<double>(costs.size()) + 34;
  std::string svg = Format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" "
      "height=\"%.0f\" font-family=\"sans-serif\" font-size=\"12\">\n",
      std::max(width, 330.0), height, 0, 0);
  svg += "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
  svg +=
      "<text x=\"10\" y=\"20\" font-size=\"14\">What answers lose when a "
      "shard has 2 bits</text>\n";
  svg += Format(
      "<text x=\"10\" y=\"36\" fill=\"#666\">black: %.2g, white: "
      "%.2g and less</text>\n",
      most, most * std::pow(10, -kDecades), 0, 0);
  for (size_t l = 0; l < costs.size(); ++l) {
    const double y = kTop + kCell * static_cast<double>(l);
    svg += "<text x=\"10\" y=\"" + std::to_string(static_cast<int>(y) + 15) +
           "\">layer " + std::to_string(l) + "</text>\n";
    for (size_t i = 0; i < costs[l].size(); ++i) {
      const double level = 255 * (1 - Shade(costs[l][i], most));
      char cell[256];
      std::snprintf(cell, sizeof(cell),
                    "<rect x=\"%.0f\" y=\"%.0f\" width=\"%d\" "
                    "height=\"%d\" fill=\"rgb(%.0f,%.0f,%.0f)\" "
                    "stroke=\"#bbb\"><title>layer %zu, slice %zu: "
                    "%.3g</title></rect>\n",
                    kLeft + kCell * static_cast<double>(i), y, kCell, kCell,
                    level, level, level, l, i, costs[l][i]);
      svg += cell;
    }
  }
  svg += Format("<text x=\"%.0f\" y=\"%.0f\" fill=\"#666\">slices</text>\n",
                kLeft, height - 12, 0, 0);
  return svg + "</svg>\n";
}

}  // namespace stint::cli
