#include "kernels/recurrent_f32/step_plan.h"

namespace stint {

int64_t RecurrentF32PackedFloats(const RecurrentF32Kernel& kernel,
                                 RecurrentKind kind, int64_t hidden) {
  return PackedFloats(kernel, GateCount(kind), hidden);
}

// By stage, by group of `width` units: [hidden, gates of the stage, width].
void RecurrentF32Pack(const RecurrentF32Kernel& kernel, RecurrentKind kind,
                      int64_t hidden, const float* r, float* packed) {
  const StepPlan plan = PlanStep(kind);
  for (int s = 0; s < plan.count; ++s) {
    const StagePlan& stage = plan.stages[s];
    for (int64_t first = 0; first < hidden; first += kernel.width) {
      for (int64_t k = 0; k < hidden; ++k) {
        for (int64_t g = 0; g < GatesOf(stage.stage); ++g) {
          const float* gate = r + (stage.first_gate + g) * hidden * hidden;
          for (int64_t j = first; j < first + kernel.width; ++j) {
            *packed++ = j < hidden ? gate[j * hidden + k] : 0;
          }
        }
      }
    }
  }
}

}  // namespace stint
