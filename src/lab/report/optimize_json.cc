#include "lab/report/study_json.h"

namespace stint {
namespace {

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
  for (const CompressionCosts& layer : costs.layers) {
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

}  // namespace stint
