#include "engine/plan/make_plan.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/plan/exact_plan.h"
#include "engine/plan/place_weights.h"
#include "engine/plan/policies.h"
#include "engine/plan/predict.h"

namespace stint {
namespace {

// After the longest run of upgrades that fits, so many others are tried one by
// one; more change little and take long.
constexpr int kLateTries = 64;

// One unit more: its slices rise by a bit.
struct Upgrade {
  size_t layer = 0;
  size_t group = 0;
  size_t unit = 0;
  double gain = 0;  // loss that goes away
  int64_t bytes = 0;
  double rate() const { return gain / static_cast<double>(bytes); }
};

double GainOf(const PlanLayer& layer, size_t group, const PlanUnit& unit) {
  double gain = 0;
  for (int s = unit.first_slice; s < unit.first_slice + unit.slices; ++s) {
    const ByFidelity& loss = layer.loss[static_cast<size_t>(s)];
    gain += loss[group - 1] - loss[group];
  }
  return gain;
}

// Every upgrade over 2 bits, best rate first, but none before one of a lower
// group of the same slices: its rate is at most theirs.
std::vector<Upgrade> OrderUpgrades(const PlanProblem& problem) {
  std::vector<Upgrade> upgrades;
  std::vector<double> rates;
  for (size_t k = 0; k < problem.layers.size(); ++k) {
    const PlanLayer& layer = problem.layers[k];
    std::vector<double> ceiling(layer.loss.size(), INFINITY);
    for (size_t g = 1; g < layer.groups.size(); ++g) {
      std::vector<double> next = ceiling;
      for (size_t u = 0; u < layer.groups[g].size(); ++u) {
        const PlanUnit& unit = layer.groups[g][u];
        const Upgrade upgrade{k, g, u, GainOf(layer, g, unit), unit.bytes};
        double rate = upgrade.rate();
        for (int s = unit.first_slice; s < unit.first_slice + unit.slices;
             ++s) {
          rate = std::min(rate, ceiling[static_cast<size_t>(s)]);
        }
        for (int s = unit.first_slice; s < unit.first_slice + unit.slices;
             ++s) {
          next[static_cast<size_t>(s)] = rate;
        }
        upgrades.push_back(upgrade);
        rates.push_back(rate);
      }
      ceiling = std::move(next);
    }
  }
  std::vector<size_t> order(upgrades.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return rates[a] > rates[b]; });
  std::vector<Upgrade> sorted;
  for (size_t i : order) sorted.push_back(upgrades[i]);
  return sorted;
}

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

std::optional<Plan> BestPlan(const PlanProblem& problem) {
  std::optional<Plan> best;
  const auto consider = [&](const PlanProblem& part, int index, double loss) {
    for (Plan plan : {ToPlan(PlanBits(part), index), StiPlanOfBits(part)}) {
      plan.policy = "elastic";
      plan.sub_model = index;
      plan.predicted.loss += loss;
      if (Fits(part, plan.predicted) &&
          (!best || plan.predicted.loss < best->predicted.loss)) {
        best = std::move(plan);
      }
    }
  };
  consider(problem, -1, 0);
  for (size_t i = 0; i < problem.sub_models.size(); ++i) {
    const SubModel& sub = problem.sub_models[i];
    consider(Restrict(problem, sub), static_cast<int>(i), sub.loss);
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
