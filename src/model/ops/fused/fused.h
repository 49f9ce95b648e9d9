#pragma once
// What several operators become when they run as one. No file format has
// these: passes make them.

#include <limits>
#include <string>
#include <string_view>

#include "model/ops/fields.h"
#include "model/ops/infer_context.h"
#include "model/ops/linear/conv.h"

namespace stint {

// `activation` of the ops below is a clamp to [lo, hi] followed by "none",
// "gelu", "gelu_tanh", "silu", "sigmoid", "tanh", "hard_swish" or
// "hard_sigmoid" (slope 1/6).
bool IsFusedActivation(std::string_view name);

// y = act(x * [W0 W1 ...] + [b0 b1 ...] + residual): one or more linear layers
// of the same input side by side. Inputs x [..., k], residual (optional,
// broadcasts with the product), then W and b (optional) of each layer; W is
// [k, n], or [n, k] when transB is 1, b is [n].
struct FusedLinear {
  static constexpr std::string_view kName = "FusedLinear";
  std::string activation = "none";
  float hi = std::numeric_limits<float>::infinity();
  float lo = -std::numeric_limits<float>::infinity();
  int64_t transB = 0;
  STINT_FIELDS(activation, hi, lo, transB)

  static constexpr int kFirstWeight = 2;
  bool operator==(const FusedLinear&) const = default;
};

// y = (z - mean of z) / sqrt(variance of z + epsilon) * scale + shift over the
// last dimension, where z is what a linear layer of one weight gives. Inputs x,
// residual (optional), W, b (optional), scale [n], shift [n] (optional).
struct FusedLinearNorm : FusedLinear {
  static constexpr std::string_view kName = "FusedLinearNorm";
  float epsilon = 1e-5f;
  STINT_FIELDS(activation, epsilon, hi, lo, transB)

  static constexpr int kScale = 4;
  static constexpr int kShift = 5;
};

// y = act(conv(x, w) + bias + residual). Inputs x, w, bias (optional), residual
// (optional, of y's shape).
struct FusedConv : Conv {
  static constexpr std::string_view kName = "FusedConv";
  std::string activation = "none";
  float hi = std::numeric_limits<float>::infinity();
  float lo = -std::numeric_limits<float>::infinity();
  STINT_FIELDS(activation, auto_pad, dilations, group, hi, kernel_shape, lo,
               pads, strides)
};

// softmax(scale * q k^T + mask) v for each of `heads` heads, joined again.
// Inputs q, k, v [batch, length, heads * size] and mask (optional), which is
// added and broadcasts to [batch, heads, q length, k length]. Without k and v,
// the first input holds all three side by side.
struct FusedAttention {
  static constexpr std::string_view kName = "FusedAttention";
  int64_t heads = 1;
  float scale = 1;
  STINT_FIELDS(heads, scale)

  static constexpr int kMask = 3;
};

Status Infer(const FusedLinear& op, InferContext& ctx);
Status Infer(const FusedLinearNorm& op, InferContext& ctx);
Status Infer(const FusedConv& op, InferContext& ctx);
Status Infer(const FusedAttention& op, InferContext& ctx);
int64_t Macs(const FusedLinear& op, const InferContext& ctx);
int64_t Macs(const FusedLinearNorm& op, const InferContext& ctx);
int64_t Macs(const FusedAttention& op, const InferContext& ctx);

}  // namespace stint
