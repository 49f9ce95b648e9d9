#include "lab/report/sections.h"

#include <algorithm>
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
                            ratio.low, ratio.high, name});
  plot_.rows.push_back(name);
  table_.rows.push_back({name, ratio.value, ratio.low, ratio.high});
}

void RatioForest::Add(const std::string& name, const Estimate& ratio) {
  AddRow(&ratios_, name, ratio);
}

Figure RatioForest::Finish(const std::string& title, const std::string& label) {
  plot_.x = {label, true};
  plot_.series = {std::move(noise_), std::move(ratios_)};
  return {title,
          "Medians of the ratios within rounds, with 95 % intervals from "
          "resampled rounds. The A/A rows are stint against itself: what the "
          "machine's noise alone does to a ratio.",
          {std::move(plot_)},
          std::move(table_)};
}

std::string NoiseSentence(const std::vector<NoiseRatio>& noise) {
  if (noise.empty()) return "";
  const auto noisy =
      std::count_if(noise.begin(), noise.end(),
                    [](const NoiseRatio& row) { return row.too_noisy; });
  const auto widest = std::max_element(
      noise.begin(), noise.end(), [](const NoiseRatio& a, const NoiseRatio& b) {
        return a.ratio.high - a.ratio.low < b.ratio.high - b.ratio.low;
      });
  const std::string interval = FormatNumber("%.3f", widest->ratio.value) +
                               " [" + FormatNumber("%.3f", widest->ratio.low) +
                               ", " + FormatNumber("%.3f", widest->ratio.high) +
                               "]";
  if (noisy == 0) {
    return "A/A: stint against itself is 1 within 3 % in all " +
           std::to_string(noise.size()) + " rows, at widest " + interval + ".";
  }
  return "Too noisy to rank by a few percent: the A/A interval excludes 1 or "
         "is "
         "wider than 3 % in " +
         std::to_string(noisy) + " of " + std::to_string(noise.size()) +
         " rows, at widest " + interval + ".";
}

PlotSeries FrontOf(const std::vector<PlotSeries>& series) {
  std::vector<PlotPoint> points;
  for (const PlotSeries& each : series) {
    if (each.mark == PlotMark::kDashes) continue;
    for (PlotPoint point : each.points) {
      point.hint = each.name;
      points.push_back(point);
    }
  }
  const std::vector<bool> best = ParetoFront(points);
  PlotSeries front{"Pareto front", PlotMark::kStars, {}};
  for (size_t i = 0; i < points.size(); ++i) {
    if (best[i]) {
      points[i].low = points[i].high = std::nullopt;
      front.points.push_back(points[i]);
    }
  }
  return front;
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
