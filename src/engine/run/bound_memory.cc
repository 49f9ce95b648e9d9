// What the programs of a graph runner take.

#include <set>

#include "core/base/heap_bytes.h"
#include "engine/run/graph_runner.h"

namespace stint {
namespace {

int64_t HeapBytes(const Step& step) {
  return BlockBytes(sizeof(Step)) +
         step.ctx.num_inputs() * BlockBytes(sizeof(void*)) +
         step.ctx.num_outputs() * BlockBytes(sizeof(Value) + sizeof(int64_t));
}

}  // namespace

// Programs share memory for activations.
GraphRunner::Memory GraphRunner::BoundMemory() const {
  Memory memory;
  std::set<const void*> counted;
  for (const auto& program : programs_) {
    for (const Tensor* tensor : {&program->arena, &program->scratch}) {
      if (!counted.insert(tensor->raw()).second) continue;
      memory.activation_bytes += BlockBytes(tensor->bytes());
    }
    for (const auto& step : program->steps) {
      memory.step_bytes += HeapBytes(*step);
    }
    for (const auto& value : program->held) {
      memory.step_bytes += BlockBytes(sizeof(Value));
      if (value->is_tensor() && value->tensor().is_kept_alive()) {
        memory.step_bytes += BlockBytes(value->tensor().bytes());
      }
    }
  }
  return memory;
}

}  // namespace stint
