#include "lab/plot/plot.h"

#include <cmath>
#include <cstdio>

namespace stint {

TableCell YesNo(const std::optional<bool>& value) {
  TableCell cell(!value ? "" : *value ? "yes" : "no");
  cell.flag = value;
  cell.known = value.has_value();
  return cell;
}

std::string CellText(const TableCell& cell) {
  if (!cell.number) return cell.text.empty() ? "-" : cell.text;
  const double value = *cell.number;
  if (!std::isfinite(value)) return "-";
  // Whole numbers, such as counts and bytes, keep all their digits.
  const bool whole = std::floor(value) == value && std::abs(value) < 1e15;
  char text[48];
  std::snprintf(text, sizeof(text), whole ? "%.0f" : "%.4g", value);
  return text;
}

std::vector<bool> ParetoFront(const std::vector<PlotPoint>& points,
                              double resolution) {
  const double margin = 1 + resolution;
  std::vector<bool> front;
  for (const PlotPoint& point : points) {
    bool best = std::isfinite(point.x) && std::isfinite(point.y);
    for (const PlotPoint& other : points) {
      const bool no_worse = other.x <= point.x && other.y <= point.y;
      best = best && !(no_worse && (other.x * margin < point.x ||
                                    other.y * margin < point.y));
    }
    front.push_back(best);
  }
  return front;
}

}  // namespace stint
