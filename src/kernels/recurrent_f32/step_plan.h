#pragma once
// Of which stages a step of each kind of layer consists, and where their
// weights are.

#include "core/base/checked_math.h"
#include "kernels/recurrent_f32/recurrent_f32.h"

namespace stint {

inline int64_t GateCount(RecurrentKind kind) {
  switch (kind) {
    case RecurrentKind::kRnn:
      return 1;
    case RecurrentKind::kGru:
    case RecurrentKind::kGruLinear:
      return 3;
    case RecurrentKind::kLstm:
      return 4;
  }
  return 0;
}

// The stages of a step, and the first gate of each.
struct StagePlan {
  RecurrentStage stage;
  int64_t first_gate;
};
struct StepPlan {
  StagePlan stages[2];
  int count;
};
inline StepPlan PlanStep(RecurrentKind kind) {
  switch (kind) {
    case RecurrentKind::kRnn:
      return {{{RecurrentStage::kRnn, 0}, {}}, 1};
    case RecurrentKind::kGru:
      return {{{RecurrentStage::kGruGates, 0}, {RecurrentStage::kGruState, 2}},
              2};
    case RecurrentKind::kGruLinear:
      return {{{RecurrentStage::kGruLinear, 0}, {}}, 1};
    case RecurrentKind::kLstm:
      break;
  }
  return {{{RecurrentStage::kLstm, 0}, {}}, 1};
}

// Of so many gates of the recurrent matrix.
inline int64_t PackedFloats(const RecurrentF32Kernel& kernel, int64_t gates,
                            int64_t hidden) {
  return RoundUp(hidden, kernel.width) * hidden * gates;
}

}  // namespace stint
