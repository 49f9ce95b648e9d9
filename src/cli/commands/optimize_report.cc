#include "cli/commands/optimize_report.h"

#include <algorithm>

namespace stint::cli {
namespace {

std::string Padded(const std::string& text, size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

Json LayersJson(const OptimizeRow& row) {
  Json layers = Json::object();
  for (const auto& [name, layer] : row.compress.layers) {
    layers[name] = {{"int8", layer.int8},
                    {"zeros", layer.zeros},
                    {"channels", layer.channels}};
  }
  return layers;
}

// What single changes cost, by layer.
Json CostsJson(const NetworkCosts& costs) {
  Json layers = Json::object();
  for (const LayerCosts& layer : costs.layers) {
    Json& choices = layers[layer.name] = Json::array();
    for (const LayerChoice& choice : layer.plain) {
      choices.push_back({{"zeros", choice.what.zeros},
                         {"us", choice.us},
                         {"loss", choice.loss}});
    }
    if (layer.bytes) {
      choices.push_back({{"int8", true},
                         {"us", layer.bytes->us},
                         {"loss", layer.bytes->loss}});
    }
  }
  for (const ChannelCosts& group : costs.channels) {
    for (const ChannelChoice& choice : group.choices) {
      Json factors = Json::object();
      for (const auto& [layer, factor] : choice.factors) {
        factors[costs.layers[layer].name] = factor;
      }
      layers[group.layer].push_back({{"channels", choice.ratio},
                                     {"time_factors", std::move(factors)},
                                     {"loss", choice.loss}});
    }
  }
  return layers;
}

}  // namespace

Json OptimizeJson(const OptimizeReport& report) {
  Json rows = Json::array();
  for (const OptimizeRow& row : report.rows) {
    rows.push_back(
        {{"name", row.name},
         {"plain", row.plain},
         {"precision", row.precision},
         {"accuracy", row.accuracy},
         {"ms", row.ms},
         {"predicted_ms", row.predicted_ms},
         {"bytes", row.bytes},
         {"peak_rss_bytes", row.peak_bytes > 0 ? Json(row.peak_bytes) : Json()},
         {"fails", row.fails},
         {"pareto", row.pareto},
         {"layers", LayersJson(row)}});
  }
  Json json = {{"layers", report.layers},
               {"costs", CostsJson(report.costs)},
               {"not_evaluated", report.not_evaluated},
               {"rows", std::move(rows)}};
  Json kernels = Json::object();
  for (const StepChoice& choice : report.kernels) {
    if (!choice.kernel.empty()) kernels[choice.node] = choice.kernel;
  }
  json["kernels"] = std::move(kernels);
  json["best"] =
      report.best ? Json(report.rows[*report.best].name) : Json(nullptr);
  return json;
}

void PrintOptimizeTable(const OptimizeReport& report) {
  const bool memory =
      std::any_of(report.rows.begin(), report.rows.end(),
                  [](const OptimizeRow& row) { return row.peak_bytes > 0; });
  Print("%9s %9s %10s%s\n", "accuracy", "ms", "size",
        memory ? "     memory" : "");
  for (size_t i = 0; i < report.rows.size(); ++i) {
    const OptimizeRow& row = report.rows[i];
    const bool best = report.best && i == *report.best;
    Print("%8.2f%% %9.3f %10s%s  %s %s%s\n", 100 * row.accuracy, row.ms,
          FormatBytes(row.bytes).c_str(),
          memory ? Padded(FormatBytes(row.peak_bytes), 11).c_str() : "",
          best ? "*" : (row.pareto ? "+" : " "), row.Describe().c_str(),
          row.fails.empty() ? "" : (" (misses " + row.fails + ")").c_str());
  }
  Print("* chosen, + nothing is both faster and as accurate\n");
  if (report.not_evaluated > 0) {
    Print("%d plain prunings are slower than int8 and not shown\n",
          report.not_evaluated);
  }
}

}  // namespace stint::cli
