#include "engine/plan/make_plan.h"

#include <algorithm>
#include <cmath>

#include "engine/plan/exact_plan.h"
#include "engine/plan/order_upgrades.h"
#include "engine/plan/place_weights.h"
#include "engine/plan/predict.h"
#include "engine/plan/sti_plan.h"

namespace stint {
namespace {

// After the longest run of upgrades that fits, so many others are tried one by
// one; more change little and take long.
constexpr int kLateTries = 64;

// Whether the slices of the unit have all lower planes.
bool IsNext(const PlanProblem& problem, const std::vector<LayerPlan>& uses,
            const Upgrade& up) {
  const PlanLayer& layer = problem.layers[up.layer];
  const PlanUnit& unit = layer.groups[up.group][up.unit];
  for (int s = unit.first_slice; s < unit.first_slice + unit.slices; ++s) {
    if (BitsOf(layer, uses[up.layer], s) <
        static_cast<int>(up.group) - 1 + kPlaneMinBits) {
      return false;
    }
  }
  return true;
}

void Apply(const Upgrade& up, std::vector<LayerPlan>* uses) {
  (*uses)[up.layer].units[up.group][up.unit] = UnitUse::kStreamed;
}

// The best bits of one model, whatever its depth and width.
Placement PlanBits(const PlanProblem& problem) {
  if (IsSmall(problem)) {
    if (auto exact = PlanExactly(problem)) return *std::move(exact);
  }
  const std::vector<LayerPlan> base = UniformUse(problem, kPlaneMinBits);
  const std::vector<Upgrade> upgrades = OrderUpgrades(problem);
  const auto with_first = [&](size_t count) {
    std::vector<LayerPlan> uses = base;
    for (size_t i = 0; i < count; ++i) Apply(upgrades[i], &uses);
    return uses;
  };
  Placement best = PlaceWeights(problem, base);
  if (!Fits(problem, best.predicted)) return best;
  // More bits take more of everything: the longest run that fits by halving.
  size_t fits = 0;
  size_t too_many = upgrades.size() + 1;
  while (too_many - fits > 1) {
    const size_t middle = fits + (too_many - fits) / 2;
    Placement placement = PlaceWeights(problem, with_first(middle));
    if (Fits(problem, placement.predicted)) {
      fits = middle;
      best = std::move(placement);
    } else {
      too_many = middle;
    }
  }
  std::vector<LayerPlan> uses = with_first(fits);
  int tries = 0;
  for (size_t i = fits; i < upgrades.size() && tries < kLateTries; ++i) {
    if (upgrades[i].gain <= 0 || !IsNext(problem, uses, upgrades[i])) continue;
    ++tries;
    std::vector<LayerPlan> more = uses;
    Apply(upgrades[i], &more);
    Placement placement = PlaceWeights(problem, more);
    if (!Fits(problem, placement.predicted)) continue;
    uses = std::move(more);
    best = std::move(placement);
  }
  return best;
}

Plan ToPlan(Placement placement, int sub_model) {
  Plan plan;
  plan.policy = "elastic";
  plan.sub_model = sub_model;
  plan.layers = std::move(placement.layers);
  plan.ring_bytes = placement.ring_bytes;
  plan.predicted = std::move(placement.predicted);
  return plan;
}

// A sub-model, or with index -1 the whole; no plan of it has less loss.
struct Candidate {
  int index = -1;
  double least_loss = 0;
};

double LeastLoss(const PlanLayer& layer, int slices) {
  double loss = 0;
  for (int s = 0; s < slices; ++s) {
    loss += layer.loss[static_cast<size_t>(s)]
                      [static_cast<size_t>(layer.most_bits() - kPlaneMinBits)];
  }
  return loss;
}

// Those that can lose least come first.
std::vector<Candidate> OrderCandidates(const PlanProblem& problem) {
  std::vector<Candidate> candidates(1);
  for (const PlanLayer& layer : problem.layers) {
    candidates[0].least_loss += LeastLoss(layer, layer.slices());
  }
  for (const SubModel& sub : problem.sub_models) {
    Candidate candidate{static_cast<int>(candidates.size()) - 1, sub.loss};
    for (int index : sub.layers) {
      const PlanLayer& layer = problem.layers[static_cast<size_t>(index)];
      candidate.least_loss += LeastLoss(layer, KeptSlices(layer, sub));
    }
    candidates.push_back(candidate);
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) {
                     return a.least_loss < b.least_loss;
                   });
  return candidates;
}

// Candidates that cannot beat the best plan so far are not planned: of the 16
// of the SST-2 model few are left.
std::optional<Plan> BestPlan(const PlanProblem& problem) {
  std::optional<Plan> best;
  for (const Candidate& candidate : OrderCandidates(problem)) {
    if (best && candidate.least_loss >= best->predicted.loss) break;
    const bool whole = candidate.index < 0;
    const SubModel* sub =
        whole ? nullptr
              : &problem.sub_models[static_cast<size_t>(candidate.index)];
    const PlanProblem part = whole ? problem : Restrict(problem, *sub);
    for (Plan plan :
         {ToPlan(PlanBits(part), candidate.index), StiPlanOfBits(part)}) {
      plan.policy = "elastic";
      plan.sub_model = candidate.index;
      plan.predicted.loss += whole ? 0 : sub->loss;
      if (Fits(part, plan.predicted) &&
          (!best || plan.predicted.loss < best->predicted.loss)) {
        best = std::move(plan);
      }
    }
  }
  return best;
}

std::string Infeasible(const PlanProblem& problem) {
  const NearestBudgets near = FindNearestBudgets(problem);
  const auto number = [](double x) {
    std::string text = std::to_string(x);
    return text.substr(0, text.find('.') + 2);
  };
  std::string text = "no plan fits";
  if (problem.latency_ns > 0) {
    text += " " + number(problem.latency_ns * 1e-6) + " ms";
  }
  if (problem.memory_bytes > 0) {
    text +=
        " " + number(static_cast<double>(problem.memory_bytes) * 1e-6) + " MB";
  }
  if (near.memory_bytes && problem.memory_bytes > 0) {
    text +=
        "; with this latency " +
        number(std::ceil(static_cast<double>(*near.memory_bytes) * 1e-5) / 10) +
        " MB would do";
  }
  if (near.latency_ns && problem.latency_ns > 0) {
    text += "; with this memory " +
            number(std::ceil(*near.latency_ns * 1e-5) / 10) + " ms would do";
  }
  return text;
}

}  // namespace

Result<Plan> MakePlan(const PlanProblem& problem) {
  std::optional<Plan> plan = BestPlan(problem);
  if (plan) return *std::move(plan);
  return BudgetInfeasible(Infeasible(problem));
}

NearestBudgets FindNearestBudgets(const PlanProblem& problem) {
  NearestBudgets near;
  PlanProblem free = problem;
  free.latency_ns = 0;
  const auto least = [&](const PlanProblem& part) {
    const Placement placement =
        PlaceWeights(part, UniformUse(part, kPlaneMinBits));
    if (!Fits(part, placement.predicted)) return;
    const double ns = placement.predicted.latency_ns;
    if (!near.latency_ns || ns < *near.latency_ns) near.latency_ns = ns;
  };
  least(free);
  for (const SubModel& sub : problem.sub_models) least(Restrict(free, sub));
  // Memory by halving: more of it never hurts.
  PlanProblem roomy = problem;
  roomy.memory_bytes = 0;
  const auto plan = BestPlan(roomy);
  if (!plan) return near;
  int64_t enough = plan->predicted.peak_bytes;
  int64_t short_of = 0;
  constexpr int64_t kStep = 1 << 16;
  while (enough - short_of > kStep) {
    roomy.memory_bytes = short_of + (enough - short_of) / 2;
    if (BestPlan(roomy)) {
      enough = roomy.memory_bytes;
    } else {
      short_of = roomy.memory_bytes;
    }
  }
  near.memory_bytes = enough;
  return near;
}

}  // namespace stint
