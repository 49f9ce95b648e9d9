#include "engine/choose/choice_reason.h"

namespace stint {

std::string_view ReasonName(ConvReason reason) {
  switch (reason) {
    case ConvReason::kDefault:
      return "default";
    case ConvReason::kMeasured:
      return "measured";
    case ConvReason::kForced:
      return "forced";
    case ConvReason::kTuned:
      return "tuned";
    case ConvReason::kUntuned:
      return "untuned";
  }
  return "";
}

}  // namespace stint
