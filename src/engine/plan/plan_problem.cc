#include "engine/plan/plan_problem.h"

#include <algorithm>

namespace stint {

double ReadCost::ns(int64_t bytes) const {
  if (points.empty()) return 0;
  if (points.size() == 1 || bytes <= points[0].bytes) return points[0].ns;
  size_t i = 1;
  while (i + 1 < points.size() && bytes > points[i].bytes) ++i;
  const Point& a = points[i - 1];
  const Point& b = points[i];
  const double slope = (b.ns - a.ns) / static_cast<double>(b.bytes - a.bytes);
  return a.ns + slope * static_cast<double>(bytes - a.bytes);
}

int KeptSlices(const PlanLayer& layer, const SubModel& sub_model) {
  return sub_model.slices == 0 || !layer.narrows
             ? layer.slices()
             : std::min(sub_model.slices, layer.slices());
}

PlanProblem Restrict(const PlanProblem& problem, const SubModel& sub_model) {
  PlanProblem part = problem;
  part.layers.clear();
  part.sub_models.clear();
  for (int index : sub_model.layers) {
    PlanLayer layer = problem.layers[static_cast<size_t>(index)];
    const int keep = KeptSlices(layer, sub_model);
    layer.loss.resize(static_cast<size_t>(keep));
    for (std::vector<PlanUnit>& group : layer.groups) {
      std::erase_if(group, [&](const PlanUnit& unit) {
        return unit.first_slice >= keep;
      });
      // A unit is read whole, also for the sake of its first slices.
      for (PlanUnit& unit : group) {
        unit.slices = std::min(unit.slices, keep - unit.first_slice);
      }
    }
    part.layers.push_back(std::move(layer));
  }
  return part;
}

}  // namespace stint
