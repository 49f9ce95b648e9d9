#include "engine/plan/predict.h"

#include <algorithm>
#include <deque>
#include <limits>

namespace stint {
namespace {

// Storage that reads one request after the other into a ring.
class ReadSimulator {
 public:
  ReadSimulator(const PlanProblem& problem, int64_t ring)
      : problem_(problem),
        room_(ring),
        ready_ns_(problem.read_after_ns * problem.slowdown) {}

  // Reads a unit once there is room for it; neighbors join until a request is
  // full. False when there will never be room.
  bool Read(int64_t bytes) {
    if (pending_ + bytes > problem_.request_bytes) Flush();
    while (room_ < bytes) {
      if (held_.empty()) return false;
      Flush();
      ready_ns_ = std::max(ready_ns_, held_.front().until_ns);
      room_ += held_.front().bytes;
      held_.pop_front();
    }
    room_ -= bytes;
    pending_ += bytes;
    return true;
  }

  // When everything asked for so far has been read.
  double Flush() {
    if (pending_ > 0) {
      const double slowdown = problem_.slowdown;
      end_ns_ =
          std::max(end_ns_, ready_ns_ + problem_.read.latency_ns * slowdown) +
          problem_.read.ns(pending_) * slowdown;
      pending_ = 0;
    }
    return end_ns_;
  }

  double end_ns() const { return end_ns_; }
  void Hold(int64_t bytes, double until_ns) {
    if (bytes > 0) held_.push_back({bytes, until_ns});
  }

 private:
  struct Held {
    int64_t bytes;
    double until_ns;
  };
  const PlanProblem& problem_;
  int64_t room_;
  int64_t pending_ = 0;
  double ready_ns_;  // from when there is room for what is pending
  double end_ns_ = 0;
  std::deque<Held> held_;
};

template <typename F>
void ForEachUsed(const PlanLayer& layer, const LayerPlan& plan, F f) {
  for (size_t g = 0; g < layer.groups.size(); ++g) {
    for (size_t u = 0; u < layer.groups[g].size(); ++u) {
      if (plan.units[g][u] != UnitUse::kUnused) {
        f(layer.groups[g][u], plan.units[g][u]);
      }
    }
  }
}

// Adds the layer's loss and returns what it computes for.
double AddSlices(const PlanLayer& layer, const LayerPlan& plan, double* loss) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  double ns = layer.compute_ns;
  for (int s = 0; s < layer.slices(); ++s) {
    const int bits = BitsOf(layer, plan, s);
    if (bits == 0) {
      *loss = kNever;
      continue;
    }
    const auto at = static_cast<size_t>(bits - kPlaneMinBits);
    *loss += layer.loss[static_cast<size_t>(s)][at];
    ns += layer.slice_compute_ns[at];
  }
  return ns;
}

}  // namespace

Prediction Predict(const PlanProblem& problem,
                   const std::vector<LayerPlan>& layers, int64_t ring_bytes) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  Prediction result;
  ReadSimulator storage(problem, ring_bytes);
  double computed_ns = problem.before_ns * problem.slowdown;
  for (size_t k = 0; k < layers.size(); ++k) {
    LayerTiming timing;
    timing.read_begin_ns = storage.end_ns();
    bool room = true;
    ForEachUsed(problem.layers[k], layers[k],
                [&](const PlanUnit& unit, UnitUse use) {
                  if (use == UnitUse::kPinned) {
                    result.pinned_bytes += unit.bytes;
                  } else {
                    timing.stream_bytes += unit.bytes;
                    room = room && storage.Read(unit.bytes);
                  }
                });
    const double read_ns = storage.Flush();
    if (timing.stream_bytes > 0) timing.read_end_ns = read_ns;
    timing.compute_begin_ns =
        room ? std::max(computed_ns, timing.read_end_ns) : kNever;
    const double check_ns =
        problem.check_ns_per_byte * static_cast<double>(timing.stream_bytes);
    const double layer_ns =
        AddSlices(problem.layers[k], layers[k], &result.loss);
    computed_ns =
        timing.compute_begin_ns + (check_ns + layer_ns) * problem.slowdown;
    timing.compute_end_ns = computed_ns;
    storage.Hold(timing.stream_bytes, computed_ns);
    result.stream_bytes += timing.stream_bytes;
    result.layers.push_back(timing);
  }
  result.latency_ns = computed_ns + problem.after_ns * problem.slowdown;
  result.peak_bytes = problem.fixed_bytes + result.pinned_bytes + ring_bytes;
  return result;
}

Plan PredictedPlan(const PlanProblem& problem, std::string policy,
                   std::vector<LayerPlan> layers, int64_t ring_bytes) {
  Plan plan;
  plan.policy = std::move(policy);
  plan.ring_bytes = ring_bytes;
  plan.predicted = Predict(problem, layers, ring_bytes);
  plan.layers = std::move(layers);
  return plan;
}

int64_t LeastRingBytes(const PlanProblem& problem,
                       const std::vector<LayerPlan>& layers) {
  int64_t most = 0;
  int64_t largest = 0;
  for (size_t k = 0; k < layers.size(); ++k) {
    int64_t together = 0;
    ForEachUsed(problem.layers[k], layers[k],
                [&](const PlanUnit& unit, UnitUse use) {
                  if (use != UnitUse::kStreamed) return;
                  together += unit.bytes;
                  largest = std::max(largest, unit.bytes);
                });
    most = std::max(most, together);
  }
  return most == 0 ? 0 : most + largest;
}

double ComputeNs(const PlanProblem& problem,
                 const std::vector<LayerPlan>& layers) {
  double loss = 0;
  double ns = problem.before_ns + problem.after_ns;
  for (size_t k = 0; k < layers.size(); ++k) {
    ns += AddSlices(problem.layers[k], layers[k], &loss);
  }
  return ns;
}

double HiddenBits(const PlanProblem& problem) {
  const std::vector<LayerPlan> least = UniformUse(problem, kPlaneMinBits);
  int64_t bytes = 0;
  for (const PlanLayer& layer : problem.layers) {
    for (const PlanUnit& unit : layer.groups[0]) bytes += unit.bytes;
  }
  if (bytes == 0) return 0;
  const double request_ns = problem.read.ns(problem.request_bytes);
  if (request_ns <= 0) return std::numeric_limits<double>::infinity();
  const double bytes_per_ns =
      static_cast<double>(problem.request_bytes) / request_ns;
  double loss = 0;
  double ns = 0;
  for (size_t k = 0; k < least.size(); ++k) {
    ns += AddSlices(problem.layers[k], least[k], &loss);
  }
  return kPlaneMinBits * bytes_per_ns * ns / static_cast<double>(bytes);
}

int64_t StreamedBytes(const PlanProblem& problem,
                      const std::vector<LayerPlan>& layers) {
  int64_t bytes = 0;
  for (size_t k = 0; k < layers.size(); ++k) {
    ForEachUsed(problem.layers[k], layers[k],
                [&](const PlanUnit& unit, UnitUse use) {
                  if (use == UnitUse::kStreamed) bytes += unit.bytes;
                });
  }
  return bytes;
}

bool Fits(const PlanProblem& problem, const Prediction& prediction) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  return prediction.latency_ns < kNever && prediction.loss < kNever &&
         (problem.latency_ns <= 0 ||
          prediction.latency_ns <= problem.latency_ns) &&
         (problem.memory_bytes <= 0 ||
          prediction.peak_bytes <= problem.memory_bytes);
}

}  // namespace stint
