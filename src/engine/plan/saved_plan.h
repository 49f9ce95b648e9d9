#pragma once
// A plan as text, to be kept and run again without planning:
//
//   stint-plan 1
//   model 00f3a1...          checksum over the shards it was made for
//   policy elastic
//   sub-model -1             of the catalog; -1: the whole
//   input-elements 192       of all inputs together, at most
//   memory-bytes 8000000     budget it was made for; 0: none
//   fixed-bytes 5300000      of the process, without shards
//   ring-bytes 409600
//   overlaps 1
//   latency-ns 9100000       predicted, at the percentile asked for then
//   layer pppp ss-- ----     by group: units that are pinned, streamed, unused
//   ...
//   end

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/plan/plan.h"
#include "stint/status.h"

namespace stint {

struct SavedPlan {
  uint64_t model = 0;
  int64_t input_elements = 0;
  int64_t memory_bytes = 0;
  int64_t fixed_bytes = 0;
  // Of the prediction, only latency_ns.
  Plan plan;
};

std::string ToText(const SavedPlan& saved);
// kDamaged names the first line that is wrong.
Result<SavedPlan> ParseSavedPlan(std::string_view text);

// Whether the plan is one for these layers: every layer, group and unit, bits
// without a gap, and a ring that holds what is streamed. kInvalidArgument
// says what does not fit.
Status CheckPlanFor(const PlanProblem& problem, const Plan& plan);

}  // namespace stint
