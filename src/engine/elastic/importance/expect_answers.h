#pragma once
// What a plan's answers will suffer, by what was measured of plans like it when
// the file was packed.

#include <optional>

#include "stint/budget.h"
#include "weights/shards/shard_catalog.h"

namespace stint {

// For a plan of this predicted loss (Prediction::loss of a problem of this
// catalog); the less is predicted, the less is expected. Nothing where the file
// has no checks.
std::optional<ExpectedAnswers> ExpectAnswers(const ShardCatalog& catalog,
                                             double predicted_loss);

}  // namespace stint
