#pragma once
// Which of the units in use stay in memory between runs, and how large the ring
// is for the others.

#include "engine/plan/plan.h"

namespace stint {

struct Placement {
  std::vector<LayerPlan> layers;
  int64_t ring_bytes = 0;
  Prediction predicted;
};

// The placement with the lowest latency within the memory budget among these:
// some share of the memory for pinned units, the rest for the ring; pinned from
// the first layer on, or enough of the first layers for a start without a stall
// and then a plane of every layer in turn. Uses of `layers` are only read as
// used or not. Where nothing fits, the placement that takes least memory.
Placement PlaceWeights(const PlanProblem& problem,
                       const std::vector<LayerPlan>& layers);

// The ring for what is streamed: all that is of use, as far as the memory goes,
// and at least what a layer needs.
int64_t RingBytesFor(const PlanProblem& problem,
                     const std::vector<LayerPlan>& layers);

// A ring for two neighboring layers, or what memory there is.
int64_t PipelineRing(const PlanProblem& problem,
                     const std::vector<LayerPlan>& layers);

// Everything pinned, no ring.
Placement PinEverything(const PlanProblem& problem,
                        const std::vector<LayerPlan>& layers);

}  // namespace stint
