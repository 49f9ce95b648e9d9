#pragma once
// Recurrent layers over sequences [length, batch, size] (layout 0) or [batch,
// length, size] (layout 1), forward, in reverse or both.

#include <string>
#include <string_view>
#include <vector>

#include "model/ops/fields.h"
#include "model/ops/infer_context.h"

namespace stint {

// Inputs x, w, r, bias, sequence lengths, initial h; the last three optional.
// Outputs every h and the last one. Activations are those of the first
// direction, then of the second; empty means the usual ones. activation_alpha
// and activation_beta hold the numbers of those that take any, in order.
// clip 0 means none.
struct RNN {
  static constexpr std::string_view kName = "RNN";
  std::vector<float> activation_alpha;
  std::vector<float> activation_beta;
  std::vector<std::string> activations;
  float clip = 0;
  std::string direction = "forward";
  int64_t hidden_size = 0;
  int64_t layout = 0;
  STINT_FIELDS(activation_alpha, activation_beta, activations, clip, direction,
               hidden_size, layout)
};

// As RNN, with gates z, r, h.
struct GRU {
  static constexpr std::string_view kName = "GRU";
  std::vector<float> activation_alpha;
  std::vector<float> activation_beta;
  std::vector<std::string> activations;
  float clip = 0;
  std::string direction = "forward";
  int64_t hidden_size = 0;
  int64_t layout = 0;
  int64_t linear_before_reset = 0;
  STINT_FIELDS(activation_alpha, activation_beta, activations, clip, direction,
               hidden_size, layout, linear_before_reset)
};

// As RNN, with gates i, o, f, c; two more inputs, initial c and peepholes, and
// one more output, the last c.
struct LSTM {
  static constexpr std::string_view kName = "LSTM";
  std::vector<float> activation_alpha;
  std::vector<float> activation_beta;
  std::vector<std::string> activations;
  float clip = 0;
  std::string direction = "forward";
  int64_t hidden_size = 0;
  int64_t input_forget = 0;
  int64_t layout = 0;
  STINT_FIELDS(activation_alpha, activation_beta, activations, clip, direction,
               hidden_size, input_forget, layout)
};

Status Infer(const RNN& op, InferContext& ctx);
Status Infer(const GRU& op, InferContext& ctx);
Status Infer(const LSTM& op, InferContext& ctx);
int64_t Macs(const RNN& op, const InferContext& ctx);
int64_t Macs(const GRU& op, const InferContext& ctx);
int64_t Macs(const LSTM& op, const InferContext& ctx);

// An activation with its numbers.
struct GateActivation {
  enum class Kind {
    kAffine, kElu, kHardSigmoid, kLeakyRelu, kRelu, kScaledTanh, kSigmoid,
    kSoftplus, kSoftsign, kTanh, kThresholdedRelu,
  };
  Kind kind = Kind::kTanh;
  float alpha = 0;
  float beta = 0;
};

// The activations of all directions: those given, or `usual` per direction.
Result<std::vector<GateActivation>> ReadGateActivations(
    const std::vector<std::string>& given, const std::vector<float>& alphas,
    const std::vector<float>& betas, const std::vector<std::string>& usual,
    int64_t directions);

// The usual activations of one direction.
inline std::vector<std::string> UsualActivations(const RNN&) {
  return {"Tanh"};
}
inline std::vector<std::string> UsualActivations(const GRU&) {
  return {"Sigmoid", "Tanh"};
}
inline std::vector<std::string> UsualActivations(const LSTM&) {
  return {"Sigmoid", "Tanh", "Tanh"};
}

}  // namespace stint
