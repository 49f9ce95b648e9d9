#pragma once
// Losses, which exported training graphs evaluate.

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "model/ops/fields.h"
#include "model/ops/infer_context.h"

namespace stint {

// -x[n, target[n, d], d] times the weight of the target. Inputs x [n, c, d...],
// targets [n, d...], weights [c] (optional). reduction: "none", "sum" or "mean"
// (divided by the sum of the weights). Targets equal to ignore_index count
// nothing; kNoIndex ignores none.
struct NegativeLogLikelihoodLoss {
  static constexpr std::string_view kName = "NegativeLogLikelihoodLoss";
  static constexpr int64_t kNoIndex = std::numeric_limits<int64_t>::min();
  int64_t ignore_index = kNoIndex;
  std::string reduction = "mean";
  STINT_FIELDS(ignore_index, reduction)
};

Status Infer(const NegativeLogLikelihoodLoss& op, InferContext& ctx);

}  // namespace stint
