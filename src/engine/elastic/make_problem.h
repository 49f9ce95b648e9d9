#pragma once
// A planning problem from what is known of a file, a machine and a budget.

#include "engine/device/read_times.h"
#include "engine/elastic/coded_layers.h"
#include "engine/elastic/costs/layer_costs.h"
#include "engine/plan/plan_problem.h"
#include "stint/budget.h"

namespace stint {

struct ProblemInputs {
  const ShardCatalog* catalog = nullptr;
  std::vector<int> layers;  // by stage of the whole model: number of the layer
  LayerCosts costs;
  ReadCost read;
  double check_ns_per_byte = 0;  // of streamed weights
  double rows_ns = 0;            // reading of table rows, before anything else
  int64_t fixed_bytes = 0;
  double slowdown = 1;
  Budget budget;

  // Corrects what reading takes by what runs waited.
  void ScaleReading(double scale);
};

PlanProblem MakeProblem(const ProblemInputs& inputs);

// Reads that follow each other.
ReadCost ReadCostOf(const ReadTimes& times);

}  // namespace stint
