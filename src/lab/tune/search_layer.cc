#include "lab/tune/search_layer.h"

#include <algorithm>

namespace stint {
namespace {

constexpr size_t kBatch = 8;     // plans per generation
constexpr size_t kElites = 8;    // that have children
constexpr int kChildren = 64;    // from which the model picks
constexpr size_t kUnguided = 2;  // of a batch, against the model's blindness
// Best ones of earlier sessions that are timed again: machines were not as busy
// then as now.
constexpr size_t kTimedAgain = 16;
constexpr double kGain = 0.99;  // what counts as progress

}  // namespace

LayerSearch::LayerSearch(std::string layer, const TuneProblem& problem,
                         const ConvPlan& current, uint64_t seed)
    : layer_(std::move(layer)),
      problem_(problem),
      space_(problem),
      random_(seed),
      queue_(space_.Starts()),
      current_(current) {
  tried_.insert(ToText(current));
}

void LayerSearch::Suggest(const std::vector<ConvPlan>& plans) {
  std::vector<ConvPlan> fitting;
  for (const ConvPlan& plan : plans) {
    if (space_.Contains(plan)) fitting.push_back(plan);
  }
  queue_.insert(queue_.begin(), fitting.begin(), fitting.end());
}

void LayerSearch::Remember(const std::vector<Trial>& trials) {
  std::vector<const Trial*> own;
  for (const Trial& trial : trials) {
    if (trial.layer == layer_ && space_.Contains(trial.plan)) {
      own.push_back(&trial);
    }
  }
  std::stable_sort(own.begin(), own.end(), [](const Trial* a, const Trial* b) {
    return a->us < b->us;
  });
  std::vector<ConvPlan> again;
  for (size_t i = 0; i < own.size(); ++i) {
    if (i < kTimedAgain) {
      again.push_back(own[i]->plan);
    } else {
      tried_.insert(ToText(own[i]->plan));
    }
  }
  Suggest(again);
}

void LayerSearch::LeaveOutGenerated() {
  space_ = ScheduleSpace(problem_, /*generated=*/false);
  const auto outside = [&](const ConvPlan& plan) {
    return !space_.Contains(plan);
  };
  std::erase_if(queue_, outside);
  std::erase_if(ranked_,
                [&](const RankedPlan& ranked) { return outside(ranked.plan); });
}

void LayerSearch::Add(const ConvPlan& plan, double us) {
  const auto at = std::lower_bound(
      ranked_.begin(), ranked_.end(), us,
      [](const RankedPlan& ranked, double time) { return ranked.us < time; });
  ranked_.insert(at, {plan, us});
}

// The best plan of a primitive, so that one whose first trial was unlucky is
// not lost.
const ConvPlan& LayerSearch::BestOfSome() {
  const std::string& primitive = space_.primitives()[static_cast<size_t>(
      random_.NextInt(static_cast<int64_t>(space_.primitives().size())))];
  for (const RankedPlan& ranked : ranked_) {
    if (ranked.plan.primitive == primitive) return ranked.plan;
  }
  return ranked_.front().plan;
}

std::vector<ConvPlan> LayerSearch::Children() {
  std::vector<ConvPlan> children;
  const size_t elites = std::min(kElites, ranked_.size());
  const auto elite = [&]() -> const ConvPlan& {
    return ranked_[static_cast<size_t>(
                       random_.NextInt(static_cast<int64_t>(elites)))]
        .plan;
  };
  for (int i = 0; i < kChildren; ++i) {
    if (elites == 0 || i % 4 == 3) {
      children.push_back(space_.Random(&random_));
      continue;
    }
    const ConvPlan& a = i % 4 == 1 ? BestOfSome() : elite();
    const ConvPlan& b = elite();
    const bool cross = i % 4 == 2 && a.primitive == b.primitive;
    children.push_back(cross ? space_.Cross(a, b, &random_)
                             : space_.Mutate(a, &random_));
  }
  return children;
}

// Those that the model likes best first; in any order while it knows nothing.
void LayerSearch::Rank(const CostModel& model, std::vector<ConvPlan>* plans) {
  if (!model.trained()) return;
  std::vector<std::pair<double, size_t>> order;
  for (size_t i = 0; i < plans->size(); ++i) {
    order.emplace_back(model.Predict(FeaturesOf(problem_, (*plans)[i])), i);
  }
  std::sort(order.begin(), order.end());
  std::vector<ConvPlan> sorted;
  for (const auto& [cost, i] : order) sorted.push_back((*plans)[i]);
  *plans = std::move(sorted);
}

std::vector<ConvPlan> LayerSearch::Batch(const CostModel& model) {
  std::vector<ConvPlan> batch;
  const auto take = [&](const ConvPlan& plan) {
    if (batch.size() < kBatch && tried_.insert(ToText(plan)).second) {
      batch.push_back(plan);
    }
  };
  while (!queue_.empty() && batch.size() < kBatch) {
    take(queue_.front());
    queue_.erase(queue_.begin());
  }
  if (batch.size() == kBatch) return batch;
  std::vector<ConvPlan> children = Children();
  for (size_t i = 0; i < kUnguided; ++i) take(children[i]);
  Rank(model, &children);
  for (const ConvPlan& child : children) take(child);
  return batch;
}

Result<std::vector<Trial>> LayerSearch::Generation(const CostModel& model,
                                                   PlanTimer* timer) {
  std::vector<ConvPlan> batch = Batch(model);
  std::vector<Trial> made;
  if (batch.empty()) {
    exhausted_ = true;
    return made;
  }
  // Machines drift: times count as shares of what runs by default, taken in
  // the same turns. The best so far is timed again, since of many noisy times
  // the least is too low.
  const size_t known = ranked_.empty() ? 1 : 2;
  if (known == 2) batch.insert(batch.begin(), ranked_.front().plan);
  batch.insert(batch.begin(), current_);
  STINT_ASSIGN_OR_RETURN(const std::vector<double> times, timer->Time(batch));
  const double before = ranked_.empty() ? 0 : ranked_.front().us;
  const bool first = current_us_ == 0;
  if (first) current_us_ = times[0];
  const double scale = times[0] > 0 ? current_us_ / times[0] : 1;
  if (known == 2 && times[1] > 0) {
    const ConvPlan best = ranked_.front().plan;
    ranked_.erase(ranked_.begin());
    Add(best, (before + times[1] * scale) / 2);
  }
  if (first && current_us_ > 0) Add(current_, current_us_);
  for (size_t i = known; i < batch.size(); ++i) {
    ++trials_;
    if (times[i] <= 0) continue;
    Add(batch[i], times[i] * scale);
    made.push_back({layer_, batch[i], times[i] * scale});
  }
  const bool gained =
      !ranked_.empty() && (before == 0 || ranked_.front().us < kGain * before);
  idle_ = gained ? 0 : idle_ + 1;
  return made;
}

}  // namespace stint
