#pragma once
// How long the layers of a program compute, by bits: measured, step by step.

#include <map>
#include <string>
#include <vector>

#include "engine/device/code_costs.h"
#include "engine/elastic/coded_layers.h"
#include "engine/plan/plan_problem.h"
#include "engine/run/graph_runner.h"

namespace stint {

// On an idle machine, in ns.
struct LayerCosts {
  struct Stage {
    double fixed_ns = 0;  // whatever slices it has
    ByFidelity sliced_ns{};
  };
  double before_ns = 0;  // steps before the first stage
  double after_ns = 0;   // and after the last
  std::vector<Stage> stages;
};

struct MeasuredLayers {
  LayerCosts costs;
  // How many times the quickest a usual run took: well above 1 beside other
  // programs.
  double busy = 1;
};

// Sums the times of a run's steps by stage.
class StageTimer : public StepObserver {
 public:
  explicit StageTimer(const CodedLayers& layers);

  void Begin();
  void OnStep(const Node& node, int64_t start_ns, int64_t end_ns) override;

  struct Times {
    double before_ns = 0;
    double after_ns = 0;
    std::vector<double> fixed_ns;   // by stage
    std::vector<double> sliced_ns;  // by stage
  };
  const Times& times() const { return times_; }

 private:
  std::map<std::string, int, std::less<>> stage_of_;  // by node
  std::vector<int> left_;   // nodes of a stage that are still to come
  std::vector<int> nodes_;  // all of them
  int stage_ = -1;
  Times times_;
};

// What products with that many rows take by the costs of the device; other
// steps are not counted.
LayerCosts EstimateLayers(int64_t rows, const CodeCosts& costs,
                          const CodedLayers& layers);

// Runs the program on weights of zeros, at a few fidelities, and takes of each
// step the quickest; others lie between. There are more runs where they differ,
// as they do beside other programs. Memory that a run touches is touched
// afterwards.
Result<MeasuredLayers> MeasureLayers(std::span<const Value> inputs,
                                     int most_bits, CodedLayers* layers,
                                     GraphRunner* runner);

}  // namespace stint
