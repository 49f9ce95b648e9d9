#pragma once
// Normalizations. Input 0 is [n, c, spatial] unless said otherwise.

#include <string_view>
#include <vector>

#include "model/ops/fields.h"
#include "model/ops/infer_context.h"

namespace stint {

// Inputs x, scale, bias, mean, variance (each [c]). With training_mode 1 the
// batch's own statistics are used and outputs 1, 2 are the running ones.
struct BatchNormalization {
  static constexpr std::string_view kName = "BatchNormalization";
  float epsilon = 1e-5f;
  float momentum = 0.9f;
  int64_t training_mode = 0;
  STINT_FIELDS(epsilon, momentum, training_mode)
};

// Inputs x, scale [c], bias [c].
struct InstanceNormalization {
  static constexpr std::string_view kName = "InstanceNormalization";
  float epsilon = 1e-5f;
  STINT_FIELDS(epsilon)
};

// Over dimensions axis and later. Inputs x, scale, bias (optional); outputs y,
// mean, inverse standard deviation.
struct LayerNormalization {
  static constexpr std::string_view kName = "LayerNormalization";
  int64_t axis = -1;
  float epsilon = 1e-5f;
  int64_t stash_type = 1;
  STINT_FIELDS(axis, epsilon, stash_type)
};

// Inputs x, scale.
struct RMSNormalization {
  static constexpr std::string_view kName = "RMSNormalization";
  int64_t axis = -1;
  float epsilon = 1e-5f;
  int64_t stash_type = 1;
  STINT_FIELDS(axis, epsilon, stash_type)
};

// Inputs x, scale [c], bias [c].
struct GroupNormalization {
  static constexpr std::string_view kName = "GroupNormalization";
  float epsilon = 1e-5f;
  int64_t num_groups = 1;
  int64_t stash_type = 1;
  STINT_FIELDS(epsilon, num_groups, stash_type)
};

struct LpNormalization {
  static constexpr std::string_view kName = "LpNormalization";
  int64_t axis = -1;
  int64_t p = 2;
  STINT_FIELDS(axis, p)
};

struct MeanVarianceNormalization {
  static constexpr std::string_view kName = "MeanVarianceNormalization";
  std::vector<int64_t> axes = {0, 2, 3};
  STINT_FIELDS(axes)
};

// Local response normalization across channels.
struct LRN {
  static constexpr std::string_view kName = "LRN";
  float alpha = 1e-4f;
  float beta = 0.75f;
  float bias = 1.0f;
  int64_t size = 1;
  STINT_FIELDS(alpha, beta, bias, size)
};

Status Infer(const BatchNormalization& op, InferContext& ctx);
Status Infer(const InstanceNormalization& op, InferContext& ctx);
Status Infer(const LayerNormalization& op, InferContext& ctx);
Status Infer(const RMSNormalization& op, InferContext& ctx);
Status Infer(const GroupNormalization& op, InferContext& ctx);
Status Infer(const LpNormalization& op, InferContext& ctx);
Status Infer(const MeanVarianceNormalization& op, InferContext& ctx);
Status Infer(const LRN& op, InferContext& ctx);

}  // namespace stint
