#include "lab/report/sections.h"

#include <algorithm>
#include <cctype>
#include <cstdio>

namespace stint {

std::string FormatNumber(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof(text), format, value);
  return text;
}

RatioForest::RatioForest(const std::vector<NoiseRatio>& noise) {
  plot_.reference = 1;
  table_.columns = {"row", "ratio", "low", "high"};
  for (const NoiseRatio& row : noise) {
    AddRow(&noise_, "A/A " + ToString(row.condition), row.ratio);
  }
}

void RatioForest::AddRow(PlotSeries* series, const std::string& name,
                         const Estimate& ratio) {
  series->points.push_back({ratio.value, static_cast<double>(plot_.rows.size()),
                            ratio.KnownLow(), ratio.KnownHigh(), name});
  plot_.rows.push_back(name);
  table_.rows.push_back(
      {name, ratio.value, ratio.KnownLow(), ratio.KnownHigh()});
}

void RatioForest::Add(const std::string& name, const Estimate& ratio) {
  AddRow(&ratios_, name, ratio);
}

Figure RatioForest::Finish(const std::string& title, const std::string& label) {
  plot_.x = {label, true};
  plot_.series = {std::move(noise_), std::move(ratios_)};
  return {
      title,
      "Medians of the ratios within rounds, with 95 % intervals of the sign "
      "test; below 6 rounds there is none. The A/A rows are stint against "
      "itself: what the "
      "machine's noise alone does to a ratio.",
      {std::move(plot_)},
      std::move(table_)};
}

std::string NoiseSentence(const std::vector<NoiseRatio>& noise) {
  const NoiseRatio* worst = WorstNoise(noise);
  if (worst == nullptr) return "";
  const auto not_quiet =
      std::count_if(noise.begin(), noise.end(),
                    [](const NoiseRatio& row) { return !row.quiet(); });
  const std::string of_rows = std::to_string(noise.size()) + " A/A rows";
  const std::string where =
      not_quiet == 0 ? "in all " + of_rows
                     : "in " + std::to_string(not_quiet) + " of " + of_rows;
  std::string text = NoiseText(*worst);
  text[0] = static_cast<char>(std::toupper(text[0]));
  return text + ", " + where + " (stint against itself), at worst " +
         EstimateText(worst->ratio, "%.3f") + ".";
}

PlotSeries FrontOf(const std::vector<PlotSeries>& series, double resolution) {
  std::vector<PlotPoint> points;
  for (const PlotSeries& each : series) {
    if (each.mark == PlotMark::kDashes) continue;
    for (PlotPoint point : each.points) {
      point.hint = each.name;
      points.push_back(point);
    }
  }
  const std::vector<bool> best = ParetoFront(points, resolution);
  PlotSeries front{"Pareto front", PlotMark::kStars, {}};
  for (size_t i = 0; i < points.size(); ++i) {
    if (best[i]) {
      points[i].low = points[i].high = std::nullopt;
      points[i].x_low = points[i].x_high = std::nullopt;
      front.points.push_back(points[i]);
    }
  }
  return front;
}

bool AddQuietFront(const std::vector<NoiseRatio>& noise,
                   const Setting& condition, Plot* plot) {
  for (const NoiseRatio& row : noise) {
    if (row.condition != condition) continue;
    if (!row.quiet()) return false;
    PlotSeries front = FrontOf(plot->series, *row.Resolution());
    plot->series.push_back(std::move(front));
    return true;
  }
  return false;
}

Plot* FindOrAddPlot(const std::string& title, const Plot& fresh,
                    Figure* figure) {
  for (Plot& plot : figure->plots) {
    if (plot.title == title) return &plot;
  }
  figure->plots.push_back(fresh);
  figure->plots.back().title = title;
  return &figure->plots.back();
}

PlotSeries* FindOrAddSeries(const std::string& name, PlotMark mark,
                            Plot* plot) {
  for (PlotSeries& series : plot->series) {
    if (series.name == name) return &series;
  }
  plot->series.push_back({name, mark, {}});
  return &plot->series.back();
}

}  // namespace stint
