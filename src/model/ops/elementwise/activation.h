#pragma once
// Functions of one element with parameters.

#include <string>
#include <string_view>

#include "model/ops/fields.h"
#include "model/ops/infer_context.h"

namespace stint {

struct LeakyRelu {
  static constexpr std::string_view kName = "LeakyRelu";
  float alpha = 0.01f;
  STINT_FIELDS(alpha)
};

struct Elu {
  static constexpr std::string_view kName = "Elu";
  float alpha = 1.0f;
  STINT_FIELDS(alpha)
};

struct Celu {
  static constexpr std::string_view kName = "Celu";
  float alpha = 1.0f;
  STINT_FIELDS(alpha)
};

struct Selu {
  static constexpr std::string_view kName = "Selu";
  float alpha = 1.67326319217681884765625f;
  float gamma = 1.05070102214813232421875f;
  STINT_FIELDS(alpha, gamma)
};

struct HardSigmoid {
  static constexpr std::string_view kName = "HardSigmoid";
  float alpha = 0.2f;
  float beta = 0.5f;
  STINT_FIELDS(alpha, beta)
};

struct ThresholdedRelu {
  static constexpr std::string_view kName = "ThresholdedRelu";
  float alpha = 1.0f;
  STINT_FIELDS(alpha)
};

struct Shrink {
  static constexpr std::string_view kName = "Shrink";
  float bias = 0.0f;
  float lambd = 0.5f;
  STINT_FIELDS(bias, lambd)
};

// x * sigmoid(alpha * x); SiLU when alpha is 1.
struct Swish {
  static constexpr std::string_view kName = "Swish";
  float alpha = 1.0f;
  STINT_FIELDS(alpha)
};

// approximate: "none" (erf) or "tanh".
struct Gelu {
  static constexpr std::string_view kName = "Gelu";
  std::string approximate = "none";
  STINT_FIELDS(approximate)
};

struct IsInf {
  static constexpr std::string_view kName = "IsInf";
  int64_t detect_negative = 1;
  int64_t detect_positive = 1;
  STINT_FIELDS(detect_negative, detect_positive)
};

// Inputs x, min (optional scalar), max (optional scalar).
struct Clip {
  static constexpr std::string_view kName = "Clip";
  STINT_FIELDS()
};

Status Infer(const LeakyRelu&, InferContext& ctx);
Status Infer(const Elu&, InferContext& ctx);
Status Infer(const Celu&, InferContext& ctx);
Status Infer(const Selu&, InferContext& ctx);
Status Infer(const HardSigmoid&, InferContext& ctx);
Status Infer(const ThresholdedRelu&, InferContext& ctx);
Status Infer(const Shrink&, InferContext& ctx);
Status Infer(const Swish&, InferContext& ctx);
Status Infer(const Gelu&, InferContext& ctx);
Status Infer(const IsInf&, InferContext& ctx);
Status Infer(const Clip&, InferContext& ctx);

}  // namespace stint
