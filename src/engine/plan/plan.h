#pragma once
// A plan: which units of which layers are used, which of them stay in memory,
// how large the ring is for the others, and what is expected of it.

#include <cstdint>
#include <string>
#include <vector>

#include "engine/plan/plan_problem.h"

namespace stint {

enum class UnitUse : uint8_t { kUnused, kStreamed, kPinned };

struct LayerPlan {
  std::vector<std::vector<UnitUse>> units;  // by group and unit
};

// When a layer's weights are there and when it computes; ns since the run
// began.
struct LayerTiming {
  double read_begin_ns = 0;
  double read_end_ns = 0;  // 0 when nothing of it is streamed
  double compute_begin_ns = 0;
  double compute_end_ns = 0;
  int64_t stream_bytes = 0;
};

struct Prediction {
  std::vector<LayerTiming> layers;
  double latency_ns = 0;
  double loss = 0;
  int64_t pinned_bytes = 0;
  int64_t stream_bytes = 0;
  int64_t peak_bytes = 0;  // fixed, pinned and ring
};

struct Plan {
  std::string policy;
  int sub_model = -1;  // of the problem; -1: the whole model
  std::vector<LayerPlan> layers;
  int64_t ring_bytes = 0;
  bool overlaps = true;  // false: all is read before anything is computed
  Prediction predicted;
};

// Bits of a slice: as many groups as have it in use, from the first on, and
// one. 0 when not even group 0 has.
int BitsOf(const PlanLayer& layer, const LayerPlan& plan, int slice);
// Mean over all slices of all layers.
double MeanBits(const PlanProblem& problem, const std::vector<LayerPlan>& plan);

// The problem with what the plan's sub-model uses of it.
PlanProblem RestrictTo(const PlanProblem& problem, const Plan& plan);

// A ring has whole pages, as the units that go through it.
constexpr int64_t WholePages(int64_t bytes) { return bytes / 4096 * 4096; }

// Every layer at `bits`, streamed.
std::vector<LayerPlan> UniformUse(const PlanProblem& problem, int bits);

}  // namespace stint
