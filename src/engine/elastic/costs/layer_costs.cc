#include "engine/elastic/costs/layer_costs.h"

#include <algorithm>

namespace stint {
namespace {

// A machine shared with others runs undisturbed for some of so many runs.
constexpr int kMostRuns = 8;
constexpr double kHardlyQuicker = 0.97;

// Its work does not grow with the slices of a transformer block.
bool IsFixed(const Op& op) { return As<LayerNormalization>(op) != nullptr; }

// The fidelities that are measured; decoding costs between them lie between.
std::vector<int> MeasuredBits(int most_bits) {
  std::vector<int> bits = {kPlaneMinBits};
  const int middle = (kPlaneMinBits + most_bits) / 2;
  if (middle > bits.back()) bits.push_back(middle);
  if (most_bits > bits.back()) bits.push_back(most_bits);
  return bits;
}

Result<StageTimer::Times> TimeRun(std::span<const Value> inputs,
                                  StageTimer* timer, GraphRunner* runner) {
  std::vector<Value> outputs;
  timer->Begin();
  StepObserver* const before = runner->set_observer(timer);
  const Status status = runner->RunInto(inputs, &outputs);
  runner->set_observer(before);
  STINT_RETURN_IF_ERROR(status);
  return timer->times();
}

void Least(const StageTimer::Times& other, StageTimer::Times* times) {
  times->before_ns = std::min(times->before_ns, other.before_ns);
  times->after_ns = std::min(times->after_ns, other.after_ns);
  for (size_t i = 0; i < other.fixed_ns.size(); ++i) {
    times->fixed_ns[i] = std::min(times->fixed_ns[i], other.fixed_ns[i]);
    times->sliced_ns[i] = std::min(times->sliced_ns[i], other.sliced_ns[i]);
  }
}

double Total(const StageTimer::Times& times) {
  double ns = times.before_ns + times.after_ns;
  for (double stage : times.fixed_ns) ns += stage;
  for (double stage : times.sliced_ns) ns += stage;
  return ns;
}

struct Quickest {
  StageTimer::Times times;
  double busy = 1;
};

// Of each step, over runs that go on while it still gets quicker. The first one
// of them meets cold caches.
Result<Quickest> QuickestRun(std::span<const Value> inputs, StageTimer* timer,
                             GraphRunner* runner) {
  Quickest quickest;
  STINT_ASSIGN_OR_RETURN(quickest.times, TimeRun(inputs, timer, runner));
  double sum = 0;
  for (int runs = 1;; ++runs) {
    const double before = Total(quickest.times);
    STINT_ASSIGN_OR_RETURN(const StageTimer::Times again,
                           TimeRun(inputs, timer, runner));
    sum += Total(again);
    Least(again, &quickest.times);
    const double now = Total(quickest.times);
    quickest.busy = sum / runs / std::max(1.0, now);
    if (runs == kMostRuns || (runs > 1 && now > kHardlyQuicker * before)) {
      return quickest;
    }
    if (runs == 1 && quickest.busy < 1 / kHardlyQuicker) return quickest;
  }
}

// A straight line between the measured fidelities.
double Between(const std::vector<int>& bits, const std::vector<double>& ns,
               int at) {
  if (bits.size() == 1 || at <= bits.front()) return ns.front();
  size_t i = 1;
  while (i + 1 < bits.size() && at > bits[i]) ++i;
  const double share = static_cast<double>(at - bits[i - 1]) /
                       static_cast<double>(bits[i] - bits[i - 1]);
  return ns[i - 1] + (ns[i] - ns[i - 1]) * share;
}

}  // namespace

StageTimer::StageTimer(const CodedLayers& layers) {
  nodes_.assign(static_cast<size_t>(layers.stages()), 0);
  for (const auto& linear : layers.linear()) {
    stage_of_[linear->node()] = linear->stage();
    ++nodes_[static_cast<size_t>(linear->stage())];
  }
  Begin();
}

void StageTimer::Begin() {
  stage_ = -1;
  left_ = nodes_;
  times_ = {};
  times_.fixed_ns.assign(nodes_.size(), 0);
  times_.sliced_ns.assign(nodes_.size(), 0);
}

void StageTimer::OnStep(const Node& node, int64_t start_ns, int64_t end_ns) {
  const auto ns = static_cast<double>(end_ns - start_ns);
  const auto coded = stage_of_.find(node.name);
  if (coded != stage_of_.end()) stage_ = coded->second;
  const bool last = !nodes_.empty() && left_.back() == 0;
  if (coded != stage_of_.end()) --left_[static_cast<size_t>(stage_)];
  if (stage_ < 0) {
    times_.before_ns += ns;
  } else if (last) {
    times_.after_ns += ns;
  } else if (IsFixed(node.op)) {
    times_.fixed_ns[static_cast<size_t>(stage_)] += ns;
  } else {
    times_.sliced_ns[static_cast<size_t>(stage_)] += ns;
  }
}

LayerCosts EstimateLayers(int64_t rows, const CodeCosts& costs,
                          const CodedLayers& layers) {
  LayerCosts estimate;
  estimate.stages.resize(static_cast<size_t>(layers.stages()));
  for (const auto& linear : layers.linear()) {
    ByFidelity& ns =
        estimate.stages[static_cast<size_t>(linear->stage())].sliced_ns;
    for (int b = kPlaneMinBits; b <= kPlaneMaxBits; ++b) {
      ns[static_cast<size_t>(b - kPlaneMinBits)] +=
          costs.LinearNs(rows, linear->k(), linear->n(), b);
    }
  }
  return estimate;
}

Result<MeasuredLayers> MeasureLayers(std::span<const Value> inputs,
                                     int most_bits, CodedLayers* layers,
                                     GraphRunner* runner) {
  StageTimer timer(*layers);
  const std::vector<int> bits = MeasuredBits(most_bits);
  std::vector<StageTimer::Times> by_bits;
  MeasuredLayers measured;
  measured.busy = 0;
  for (int b : bits) {
    layers->SetBits(b);
    STINT_ASSIGN_OR_RETURN(Quickest quickest,
                           QuickestRun(inputs, &timer, runner));
    measured.busy += quickest.busy / static_cast<double>(bits.size());
    by_bits.push_back(std::move(quickest.times));
  }
  LayerCosts& costs = measured.costs;
  costs.before_ns = by_bits[0].before_ns;
  costs.after_ns = by_bits[0].after_ns;
  for (size_t s = 0; s < static_cast<size_t>(layers->stages()); ++s) {
    LayerCosts::Stage& stage = costs.stages.emplace_back();
    std::vector<double> sliced;
    for (const StageTimer::Times& times : by_bits) {
      sliced.push_back(times.sliced_ns[s]);
    }
    stage.fixed_ns = by_bits[0].fixed_ns[s];
    for (int b = kPlaneMinBits; b <= kPlaneMaxBits; ++b) {
      stage.sliced_ns[static_cast<size_t>(b - kPlaneMinBits)] =
          Between(bits, sliced, b);
    }
  }
  return measured;
}

}  // namespace stint
