#pragma once
// Named inputs in the order of the model, checked against its declarations.

#include <vector>

#include "stint/session.h"

namespace stint {

// kInvalidArgument names the input that is missing, unknown or does not fit.
Result<std::vector<Value>> OrderInputs(const Model& model,
                                       const std::vector<NamedValue>& inputs);

}  // namespace stint
