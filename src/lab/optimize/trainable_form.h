#pragma once
// The form of a model that `stint optimize` found, as far as it can be trained:
// in float32, before layers were put into bytes.

#include "lab/optimize/optimize.h"

namespace stint {

// `model` and `options` are those of the run that made `row`. The same
// channels, branches and weights are gone; what is left is repaired.
Result<Model> TrainableForm(const Model& model, const OptimizeOptions& options,
                            const OptimizeRow& row);

}  // namespace stint
