#pragma once
// How long a run by a plan takes, and what it holds: reads one after the other,
// as far ahead as the ring has room, beside computation layer by layer.

#include "engine/plan/plan.h"

namespace stint {

// latency_ns is infinite when the ring cannot hold a layer.
Prediction Predict(const PlanProblem& problem,
                   const std::vector<LayerPlan>& layers, int64_t ring_bytes);

// The plan that these layers are, with its prediction.
Plan PredictedPlan(const PlanProblem& problem, std::string policy,
                   std::vector<LayerPlan> layers, int64_t ring_bytes);

// What the ring needs so that every layer fits: the largest layer's streamed
// bytes, and a unit more for what is left over at the ring's end.
int64_t LeastRingBytes(const PlanProblem& problem,
                       const std::vector<LayerPlan>& layers);

// All bytes that are streamed: a larger ring is of no use.
int64_t StreamedBytes(const PlanProblem& problem,
                      const std::vector<LayerPlan>& layers);

// What the layers and what is around them compute, at the median.
double ComputeNs(const PlanProblem& problem,
                 const std::vector<LayerPlan>& layers);

// Bits per weight that storage could deliver while the layers compute at the
// lowest fidelity: with that many or fewer, reading hides behind computation.
double HiddenBits(const PlanProblem& problem);

bool Fits(const PlanProblem& problem, const Prediction& prediction);

}  // namespace stint
