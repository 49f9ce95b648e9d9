#include "engine/run/step_choices.h"

namespace stint {

std::vector<StepChoice> StepChoicesOf(const GraphRunner& runner) {
  std::vector<StepChoice> choices;
  runner.VisitSteps([&](const Node& node, const Step& step) {
    if (step.dynamic) return;
    KernelChoice choice = step.kernel->Explain(step.ctx);
    if (choice.kernel.empty()) return;
    choices.push_back({node.name, std::string(OpName(node.op)),
                       std::move(choice.kernel), std::move(choice.reason),
                       std::move(choice.detail), std::move(choice.schedule),
                       std::move(choice.rule), std::move(choice.candidates)});
  });
  return choices;
}

}  // namespace stint
