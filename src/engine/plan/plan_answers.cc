#include "engine/plan/plan_answers.h"

#include <cstdio>
#include <limits>

#include "core/base/checksum.h"

namespace stint {

SavedPlan AnsweringPlan(const SavedPlan& saved) {
  SavedPlan answering;
  answering.model = saved.model;
  answering.input_elements = std::numeric_limits<int64_t>::max();
  answering.plan.policy = "answers";
  answering.plan.sub_model = saved.plan.sub_model;
  answering.plan.layers = saved.plan.layers;
  for (LayerPlan& layer : answering.plan.layers) {
    for (std::vector<UnitUse>& group : layer.units) {
      for (UnitUse& use : group) {
        if (use == UnitUse::kStreamed) use = UnitUse::kPinned;
      }
    }
  }
  return answering;
}

std::string AnswersKey(const SavedPlan& saved) {
  const std::string text = ToText(AnsweringPlan(saved));
  char key[17];
  std::snprintf(
      key, sizeof(key), "%016llx",
      static_cast<unsigned long long>(Checksum(
          {reinterpret_cast<const uint8_t*>(text.data()), text.size()})));
  return key;
}

}  // namespace stint
