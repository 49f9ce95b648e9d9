#include "engine/choose/bound_conv.h"

namespace stint {

Result<BoundConv> BindConv(const ConvChoice& choice, const ConvF32Shape& shape,
                           const Activation& act, Isa isa) {
  BoundConv bound{*choice.kernel};
  bound.kernel.schedule = choice.schedule;
  if (!choice.generated) return bound;
  if (act.curve != Curve::kNone) {
    return Unsupported("generated code has no activation curves");
  }
  STINT_ASSIGN_OR_RETURN(
      bound.code,
      GeneratedConv::Make(shape, choice.kernel->input, choice.schedule, isa));
  return bound;
}

}  // namespace stint
