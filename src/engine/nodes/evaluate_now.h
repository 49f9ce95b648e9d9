#pragma once
// Evaluates one op outside of a run: constant folding, at import and when a
// session is prepared.

#include <vector>

#include "engine/nodes/make_kernel.h"

namespace stint {

// `types` has been through InferTypes; `inputs` are null where absent, and may
// lack contents where the op looks at types only. Every output.
Result<std::vector<Value>> EvaluateNow(const Op& op, const InferContext& types,
                                       const std::vector<const Value*>& inputs,
                                       const KernelSite& site,
                                       ThreadPool* pool);

// The result depends on the types of the inputs, not on their contents.
bool DependsOnTypesOnly(const Op& op);
// Needs the executor.
bool IsControlFlow(const Op& op);
// Two evaluations may differ.
bool IsRandom(const Op& op);

}  // namespace stint
