#include "lab/plot/terminal_plot.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "lab/plot/braille_canvas.h"
#include "lab/plot/terminal_text.h"

namespace stint {
namespace {

constexpr int kMostColumns = 120;
constexpr int kRows = 14;
constexpr int kLeft = 10;  // for the labels of y

// From numbers to 0..1; logarithmic or not.
class Scale {
 public:
  explicit Scale(bool logarithmic) : logarithmic_(logarithmic) {}

  bool CanShow(double value) const {
    return std::isfinite(value) && (!logarithmic_ || value > 0);
  }
  void Include(double value) {
    if (!CanShow(value)) return;
    low_ = std::min(low_, Inner(value));
    high_ = std::max(high_, Inner(value));
  }
  bool empty() const { return low_ > high_; }
  // Something to show on both sides of a single value.
  void Widen() {
    if (high_ > low_) return;
    const double room = std::max(std::abs(low_) * 0.1, 1e-9);
    low_ -= room;
    high_ += room;
  }
  double At(double value) const {
    return (Inner(value) - low_) / (high_ - low_);
  }
  // The value at a share of the way.
  double Value(double share) const {
    const double inner = low_ + share * (high_ - low_);
    return logarithmic_ ? std::pow(10, inner) : inner;
  }

 private:
  double Inner(double value) const {
    return logarithmic_ ? std::log10(value) : value;
  }

  bool logarithmic_;
  double low_ = std::numeric_limits<double>::infinity();
  double high_ = -std::numeric_limits<double>::infinity();
};

std::string Number(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.3g", value);
  return text;
}

char LetterOf(size_t series) {
  return series < 26 ? static_cast<char>('a' + series) : '#';
}

class LinePlot {
 public:
  LinePlot(const Plot& plot, int columns)
      : plot_(plot),
        x_(plot.x.logarithmic),
        y_(plot.y.logarithmic),
        columns_(columns - kLeft - 1),
        canvas_(columns_, kRows) {
    for (const PlotSeries& series : plot.series) {
      if (series.mark == PlotMark::kDashes) continue;
      for (const PlotPoint& point : series.points) {
        if (!x_.CanShow(point.x) || !y_.CanShow(point.y)) continue;
        x_.Include(point.x);
        y_.Include(point.y);
      }
    }
  }

  std::string Draw() {
    if (x_.empty() || y_.empty()) return "  (nothing to draw)\n";
    x_.Widen();
    y_.Widen();
    for (const PlotSeries& series : plot_.series) DrawLines(series);
    for (size_t s = 0; s < plot_.series.size(); ++s) DrawLetters(s);
    std::string text = "  " + plot_.y.label + "\n";
    for (int row = 0; row < kRows; ++row) {
      const bool tick = row % 4 == 0 || row == kRows - 1;
      const double share = 1 - (row + 0.5) / kRows;
      text += Padded(tick ? Number(y_.Value(share)) : "", kLeft, true) + "│" +
              canvas_.Row(row) + "\n";
    }
    return text + XAxis() + Legend();
  }

 private:
  int X(double value) const {
    return static_cast<int>(
        std::lround(x_.At(value) * (canvas_.dots_wide() - 1)));
  }
  int Y(double value) const {
    return static_cast<int>(
        std::lround((1 - y_.At(value)) * (canvas_.dots_high() - 1)));
  }
  bool CanShow(const PlotPoint& point) const {
    return x_.CanShow(point.x) && y_.CanShow(point.y);
  }

  void DrawLines(const PlotSeries& series) {
    if (series.mark != PlotMark::kLine && series.mark != PlotMark::kDashes) {
      return;
    }
    const PlotPoint* last = nullptr;
    for (const PlotPoint& point : series.points) {
      if (!CanShow(point)) continue;
      if (last != nullptr) {
        canvas_.Line(X(last->x), Y(last->y), X(point.x), Y(point.y));
      }
      last = &point;
    }
  }

  void DrawLetters(size_t number) {
    const PlotSeries& series = plot_.series[number];
    if (!HasLetters(series)) return;
    const char letter =
        series.mark == PlotMark::kStars ? '*' : LetterOf(number);
    for (const PlotPoint& point : series.points) {
      if (CanShow(point)) canvas_.Letter(X(point.x), Y(point.y), letter);
    }
  }

  static bool HasLetters(const PlotSeries& series) {
    return series.mark != PlotMark::kDashes && series.mark != PlotMark::kBand;
  }

  std::string XAxis() const {
    std::string line(kLeft, ' ');
    line += "└";
    for (int i = 0; i < columns_; ++i) line += "─";
    const std::string first = Number(x_.Value(0)),
                      middle = Number(x_.Value(0.5)),
                      last = Number(x_.Value(1));
    const auto width = static_cast<size_t>(columns_);
    std::string ticks = Padded(first, width / 2 - middle.size() / 2) + middle;
    ticks = Padded(ticks, width - last.size()) + last;
    return line + "\n" + std::string(kLeft + 1, ' ') + ticks + "\n" +
           std::string(kLeft + 1, ' ') +
           Cut(plot_.x.label, static_cast<size_t>(columns_)) + "\n";
  }

  std::string Legend() const {
    std::string text;
    for (size_t s = 0; s < plot_.series.size(); ++s) {
      const PlotSeries& series = plot_.series[s];
      if (!HasLetters(series) || series.points.empty()) continue;
      text += std::string(kLeft + 1, ' ');
      text += series.mark == PlotMark::kStars ? '*' : LetterOf(s);
      text += ' ' + Cut(series.name, static_cast<size_t>(columns_) - 2) + "\n";
    }
    return text;
  }

  const Plot& plot_;
  Scale x_, y_;
  int columns_;
  BrailleCanvas canvas_;
};

// A row per name: the interval as a line, the figure as a dot.
class ForestPlot {
 public:
  ForestPlot(const Plot& plot, int columns)
      : plot_(plot), scale_(plot.x.logarithmic) {
    for (const std::string& name : plot.rows) {
      name_width_ = std::max(name_width_, WidthOf(name));
    }
    name_width_ = std::min<size_t>(name_width_, 28);
    width_ = std::max(20, columns - static_cast<int>(name_width_) - 26);
    if (plot.reference) scale_.Include(*plot.reference);
    for (const PlotSeries& series : plot.series) {
      for (const PlotPoint& point : series.points) {
        for (double value : {point.x, point.low.value_or(point.x),
                             point.high.value_or(point.x)}) {
          scale_.Include(value);
        }
      }
    }
  }

  std::string Draw() {
    if (scale_.empty()) return "  (nothing to draw)\n";
    scale_.Widen();
    std::string text;
    for (size_t row = 0; row < plot_.rows.size(); ++row) {
      text +=
          "  " + Padded(Cut(plot_.rows[row], name_width_), name_width_) + " ";
      text += DrawRow(static_cast<double>(row)) + "\n";
    }
    const std::string low = Number(scale_.Value(0));
    const std::string high = Number(scale_.Value(1));
    text +=
        std::string(name_width_ + 3, ' ') + low +
        Padded(high, static_cast<size_t>(width_) - low.size(), true) + "\n" +
        std::string(name_width_ + 3, ' ') + plot_.x.label +
        (plot_.reference ? " (│ is " + Number(*plot_.reference) + ")" : "") +
        "\n";
    return text;
  }

 private:
  size_t Column(double value) const {
    const double share = std::clamp(scale_.At(value), 0.0, 1.0);
    return static_cast<size_t>(std::lround(share * (width_ - 1)));
  }

  std::string DrawRow(double row) const {
    std::vector<std::string> cells(static_cast<size_t>(width_), " ");
    if (plot_.reference) cells[Column(*plot_.reference)] = "│";
    std::string figures;
    for (const PlotSeries& series : plot_.series) {
      for (const PlotPoint& point : series.points) {
        if (point.y != row || !scale_.CanShow(point.x)) continue;
        const double low = point.low.value_or(point.x);
        const double high = point.high.value_or(point.x);
        for (size_t c = Column(low); c <= Column(high); ++c) cells[c] = "─";
        cells[Column(point.x)] = "●";
        figures = " " + Number(point.x) +
                  (point.low && point.high
                       ? " [" + Number(low) + ", " + Number(high) + "]"
                       : " [-]");
      }
    }
    std::string text;
    for (const std::string& cell : cells) text += cell;
    return text + figures;
  }

  const Plot& plot_;
  Scale scale_;
  size_t name_width_ = 0;
  int width_ = 0;
};

}  // namespace

std::string TerminalPlot(const Plot& plot, int columns) {
  const int used = std::clamp(columns, kLeastColumns, kMostColumns);
  const std::string title =
      plot.title.empty()
          ? ""
          : "  " + Cut(plot.title, static_cast<size_t>(used)) + "\n";
  return title + (plot.rows.empty() ? LinePlot(plot, used).Draw()
                                    : ForestPlot(plot, used).Draw());
}

}  // namespace stint
