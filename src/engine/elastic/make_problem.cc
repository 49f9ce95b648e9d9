#include "engine/elastic/make_problem.h"

#include <algorithm>

#include "engine/elastic/importance/shard_losses.h"

namespace stint {
namespace {

bool IsBlock(const ShardCatalog& catalog, int layer) {
  return catalog.layout.layers[static_cast<size_t>(layer)].kind ==
         LayerKind::kTransformer;
}

// Only where their loss was measured on the scale of the shards'.
std::vector<SubModel> SubModelsOf(const ShardCatalog& catalog,
                                  const std::vector<int>& layers) {
  std::vector<SubModel> models;
  if (catalog.importance == ImportanceKind::kNone) return models;
  for (const SubNetwork& network : catalog.sub_networks) {
    SubModel& model = models.emplace_back();
    model.slices = network.slices;
    model.loss = static_cast<double>(network.loss);
    int block = 0;
    for (size_t s = 0; s < layers.size(); ++s) {
      const bool kept = !IsBlock(catalog, layers[s]) ||
                        std::find(network.blocks.begin(), network.blocks.end(),
                                  block++) != network.blocks.end();
      if (kept) model.layers.push_back(static_cast<int>(s));
    }
  }
  return models;
}

}  // namespace

void ProblemInputs::ScaleReading(double scale) {
  read.latency_ns *= scale;
  for (ReadCost::Point& point : read.points) point.ns *= scale;
  rows_ns *= scale;
}

PlanProblem MakeProblem(const ProblemInputs& inputs) {
  const ShardCatalog& catalog = *inputs.catalog;
  const auto losses = ShardLosses(catalog);
  PlanProblem problem;
  for (size_t s = 0; s < inputs.layers.size(); ++s) {
    const int number = inputs.layers[s];
    const auto& costs = inputs.costs.stages[s];
    PlanLayer& layer = problem.layers.emplace_back();
    for (const auto& group :
         catalog.layers[static_cast<size_t>(number)].groups) {
      std::vector<PlanUnit>& units = layer.groups.emplace_back();
      for (const ReadUnit& unit : group) {
        units.push_back({unit.first_slice, unit.slices, unit.bytes});
      }
    }
    layer.loss = losses[static_cast<size_t>(number)];
    layer.narrows = IsBlock(catalog, number);
    layer.compute_ns = costs.fixed_ns;
    for (size_t b = 0; b < costs.sliced_ns.size(); ++b) {
      layer.slice_compute_ns[b] = costs.sliced_ns[b] / layer.slices();
    }
  }
  problem.sub_models = SubModelsOf(catalog, inputs.layers);
  problem.read = inputs.read;
  problem.check_ns_per_byte = inputs.check_ns_per_byte;
  problem.read_after_ns = inputs.rows_ns;
  problem.before_ns = inputs.costs.before_ns + inputs.rows_ns;
  problem.after_ns = inputs.costs.after_ns;
  problem.fixed_bytes = inputs.fixed_bytes;
  problem.slowdown = inputs.slowdown;
  problem.latency_ns = static_cast<double>(inputs.budget.latency.count());
  problem.memory_bytes = inputs.budget.memory_bytes;
  return problem;
}

ReadCost ReadCostOf(const ReadTimes& times) {
  ReadCost cost;
  for (const ReadTime& time : times.queued) {
    cost.points.push_back({time.bytes, time.ns});
  }
  // What a read alone takes longer passes while others are transferred.
  cost.latency_ns =
      std::max(0.0, times.alone.front().ns - times.queued.front().ns);
  return cost;
}

}  // namespace stint
