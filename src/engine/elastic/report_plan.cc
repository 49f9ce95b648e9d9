#include "engine/elastic/report_plan.h"

#include <algorithm>

#include "engine/plan/predict.h"

namespace stint {
namespace {

PlannedLayer ReportLayer(const PlanLayer& layer, const LayerPlan& plan,
                         const LayerTiming& timing) {
  PlannedLayer report;
  for (int i = 0; i < layer.slices(); ++i) {
    report.bits.push_back(BitsOf(layer, plan, i));
  }
  for (size_t g = 0; g < layer.groups.size(); ++g) {
    for (size_t u = 0; u < layer.groups[g].size(); ++u) {
      if (plan.units[g][u] == UnitUse::kPinned) {
        report.pinned_bytes += layer.groups[g][u].bytes;
      }
    }
  }
  report.stream_bytes = timing.stream_bytes;
  report.read_begin_ms = timing.read_begin_ns * 1e-6;
  report.read_end_ms = timing.read_end_ns * 1e-6;
  report.compute_begin_ms = timing.compute_begin_ns * 1e-6;
  report.compute_end_ms = timing.compute_end_ns * 1e-6;
  return report;
}

}  // namespace

PlanReport ReportPlan(const PlanProblem& problem, const Plan& plan) {
  PlanReport report;
  report.policy = plan.policy;
  report.predicted_ms = plan.predicted.latency_ns * 1e-6;
  report.predicted_peak_bytes = plan.predicted.peak_bytes;
  report.mean_bits = MeanBits(problem, plan.layers);
  report.fixed_bytes = problem.fixed_bytes;
  report.preload_bytes = plan.predicted.pinned_bytes;
  report.stream_bytes = plan.predicted.stream_bytes;
  report.ring_bytes = plan.ring_bytes;
  report.loss = plan.predicted.loss;
  report.hidden_bits = HiddenBits(problem);
  for (size_t s = 0; s < plan.layers.size(); ++s) {
    report.width = std::max(report.width, problem.layers[s].slices());
    report.plan.push_back(ReportLayer(problem.layers[s], plan.layers[s],
                                      plan.predicted.layers[s]));
  }
  report.layers = static_cast<int>(report.plan.size());
  return report;
}

}  // namespace stint
