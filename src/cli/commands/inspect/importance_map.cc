#include <algorithm>
#include <cmath>
#include <cstdio>

#include "cli/commands/inspect/inspect_parts.h"
#include "core/base/svg.h"

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

template <typename... Values>
std::string Format(const char* format, Values... values) {
  char text[128];
  std::snprintf(text, sizeof(text), format, values...);
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
  SvgPicture picture(std::max(width, 330.0), height, ".note{fill:#666}");
  picture.Text({10, 20}, "What answers lose when a shard has 2 bits",
               "font-size=\"14\"");
  picture.Text({10, 36},
               Format("black: %.2g, white: %.2g and less", most,
                      most * std::pow(10, -kDecades)),
               "class=\"note\"");
  for (size_t l = 0; l < costs.size(); ++l) {
    const double y = kTop + kCell * static_cast<double>(l);
    picture.Text({10, y + 15}, Format("layer %zu", l), "");
    for (size_t i = 0; i < costs[l].size(); ++i) {
      const double level = 255 * (1 - Shade(costs[l][i], most));
      picture.Box({kLeft + kCell * static_cast<double>(i), y, kCell, kCell},
                  Format("fill=\"rgb(%.0f,%.0f,%.0f)\" stroke=\"#bbb\"", level,
                         level, level),
                  Format("layer %zu, slice %zu: %.3g", l, i, costs[l][i]));
    }
  }
  picture.Text({kLeft, height - 12}, "slices", "class=\"note\"");
  return picture.ToString();
}

}  // namespace stint::cli
