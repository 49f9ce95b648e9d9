#pragma once
// Pictures and tables as data: what is shown, not how. Pages, terminals and
// files of numbers are made from the same figures.

#include <concepts>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace stint {

struct PlotAxis {
  std::string label;
  bool logarithmic = false;
};

enum class PlotMark {
  kLine,    // points joined in the order given
  kDots,    // points alone
  kStars,   // points that stand out, such as where a curve bends
  kDashes,  // a line that guides the eye, without points
  kBand,    // the area between `low` and `high`
};

// What is not finite, or not positive on a logarithmic axis, is not drawn.
struct PlotPoint {
  double x = 0;
  double y = 0;
  // An interval: along x where the plot has rows, else along y.
  std::optional<double> low, high;
  std::string hint;  // shown with the point
  // An interval along x where the other is along y.
  std::optional<double> x_low = std::nullopt, x_high = std::nullopt;
};

struct PlotSeries {
  std::string name;
  PlotMark mark = PlotMark::kLine;
  std::vector<PlotPoint> points;
};

struct Plot {
  std::string title;
  PlotAxis x, y;
  std::vector<PlotSeries> series;
  // Names of y = 0, 1, ... from the top: a forest plot. Empty: y is a number.
  std::vector<std::string> rows;
  std::optional<double> reference;  // of x: a line to compare with, such as 1
};

// A text or a number, which is rounded only where people read it.
struct TableCell {
  TableCell(std::string text) : text(std::move(text)) {}  // NOLINT: implicit
  TableCell(const char* text) : text(text) {}             // NOLINT: implicit
  TableCell(double number) : number(number) {}            // NOLINT: implicit
  TableCell(std::optional<double> number)                 // NOLINT: implicit
      : number(number), known(number.has_value()) {}
  // Counts and bytes.
  template <std::integral T>
  TableCell(T count)  // NOLINT: implicit
      : number(static_cast<double>(count)) {}

  std::string text;
  std::optional<double> number;  // wins over the text; not finite: unknown
  std::optional<bool> flag;      // what "yes" and "no" mean to programs
  bool known = true;
};

struct Table {
  std::vector<std::string> columns;
  std::vector<std::vector<TableCell>> rows;  // as long as `columns`
  // The columns that a terminal has room for; empty: all.
  std::vector<std::string> brief = {};
};

// "yes", "no" or nothing.
TableCell YesNo(const std::optional<bool>& value);

// For people: four digits, "-" for what is not known.
std::string CellText(const TableCell& cell);

// Whether each of the points is on the front: no other has x and y both at most
// as large and one of them smaller, by more than `resolution` of it (0.02: 2
// %). Points that are not finite are not.
std::vector<bool> ParetoFront(const std::vector<PlotPoint>& points,
                              double resolution = 0);

// Plots that belong together and the numbers that they show.
struct Figure {
  std::string title;
  std::string caption;  // how to read it
  std::vector<Plot> plots;
  Table table;
};

}  // namespace stint
