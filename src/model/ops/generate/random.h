#pragma once
// Random tensors. The numbers follow from the seed alone: every run of a model
// gives the same, and not those of other runtimes.

#include <span>
#include <string_view>
#include <vector>

#include "model/ops/fields.h"
#include "model/ops/infer_context.h"

namespace stint {

struct RandomNormal {
  static constexpr std::string_view kName = "RandomNormal";
  DType dtype = DType::kFloat32;
  float mean = 0.0f;
  float scale = 1.0f;
  float seed = 0.0f;
  std::vector<int64_t> shape;
  STINT_FIELDS(dtype, mean, scale, seed, shape)
};

struct RandomUniform {
  static constexpr std::string_view kName = "RandomUniform";
  DType dtype = DType::kFloat32;
  float high = 1.0f;
  float low = 0.0f;
  float seed = 0.0f;
  std::vector<int64_t> shape;
  STINT_FIELDS(dtype, high, low, seed, shape)
};

// Shaped like the input.
struct RandomNormalLike {
  static constexpr std::string_view kName = "RandomNormalLike";
  DType dtype = DType::kFloat32;
  float mean = 0.0f;
  float scale = 1.0f;
  float seed = 0.0f;
  STINT_FIELDS(dtype, mean, scale, seed)
};

struct RandomUniformLike {
  static constexpr std::string_view kName = "RandomUniformLike";
  DType dtype = DType::kFloat32;
  float high = 1.0f;
  float low = 0.0f;
  float seed = 0.0f;
  STINT_FIELDS(dtype, high, low, seed)
};

// 1 with the probability that the input's element gives.
struct Bernoulli {
  static constexpr std::string_view kName = "Bernoulli";
  DType dtype = DType::kFloat32;
  float seed = 0.0f;
  STINT_FIELDS(dtype, seed)
};

// Input [n, classes] of unnormalized log probabilities; output [n, sample_size]
// of classes, int32 or int64.
struct Multinomial {
  static constexpr std::string_view kName = "Multinomial";
  DType dtype = DType::kInt32;
  int64_t sample_size = 1;
  float seed = 0.0f;
  STINT_FIELDS(dtype, sample_size, seed)
};

Status Infer(const RandomNormal& op, InferContext& ctx);
Status Infer(const RandomUniform& op, InferContext& ctx);
Status Infer(const RandomNormalLike& op, InferContext& ctx);
Status Infer(const RandomUniformLike& op, InferContext& ctx);
Status Infer(const Bernoulli& op, InferContext& ctx);
Status Infer(const Multinomial& op, InferContext& ctx);

}  // namespace stint
