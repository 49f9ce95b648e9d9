#pragma once
// Attention and what surrounds it in transformers.

#include <string>
#include <string_view>

#include "model/ops/fields.h"
#include "model/ops/infer_context.h"

namespace stint {

// softmax(softcap(scale * q k^T) + bias) v for every head. Inputs q, k, v,
// mask, past key, past value, count of valid keys; all but the first three
// optional. q, k, v are [batch, heads, length, size] or [batch, length, heads *
// size]. Outputs y like q, present key and value [batch, heads, length, size],
// and the scores: qk_matmul_output_mode 0 plain, 1 after softcap, 2 with bias,
// 3 after softmax. The mask is boolean (true: attend) or added; its last
// dimension may be short (the rest is masked). A row that is masked entirely
// gives zeros. scale 0 means 1 / sqrt(size); softcap 0 and window -1 mean none.
// softmax_precision is a lower bound: at least 32-bit floats are used.
struct Attention {
  static constexpr std::string_view kName = "Attention";
  int64_t is_causal = 0;
  int64_t kv_num_heads = 0;  // of 3-D inputs
  int64_t left_window_size = -1;
  int64_t q_num_heads = 0;  // of 3-D inputs
  int64_t qk_matmul_output_mode = 0;
  int64_t right_window_size = -1;
  float scale = 0;
  float softcap = 0;
  DType softmax_precision = DType::kFloat32;
  STINT_FIELDS(is_causal, kv_num_heads, left_window_size, q_num_heads,
               qk_matmul_output_mode, right_window_size, scale, softcap,
               softmax_precision)
};

// Rotates pairs of elements by angles that depend on the position. Inputs x as
// q of Attention, cos and sin caches [positions, dim / 2] with position ids
// [batch, length], or [batch, length, dim / 2] without.
// rotary_embedding_dim 0 means all of a head.
struct RotaryEmbedding {
  static constexpr std::string_view kName = "RotaryEmbedding";
  int64_t interleaved = 0;
  int64_t num_heads = 0;  // of 3-D inputs
  int64_t rotary_embedding_dim = 0;
  STINT_FIELDS(interleaved, num_heads, rotary_embedding_dim)
};

// Attention as a recurrence over a state [key size, value size] per head.
// Inputs query, key, value [batch, length, heads * size], past state, decay,
// beta; outputs like the query and the present state. update_rule is "linear",
// "gated" (decay), "delta" (beta) or "gated_delta" (both). scale 0 means
// 1 / sqrt(key size). chunk_size is a hint without effect on the result.
struct LinearAttention {
  static constexpr std::string_view kName = "LinearAttention";
  int64_t chunk_size = 64;
  int64_t kv_num_heads = 0;
  int64_t q_num_heads = 0;
  float scale = 0;
  std::string update_rule = "gated_delta";
  STINT_FIELDS(chunk_size, kv_num_heads, q_num_heads, scale, update_rule)
};

Status Infer(const Attention& op, InferContext& ctx);
Status Infer(const RotaryEmbedding& op, InferContext& ctx);
Status Infer(const LinearAttention& op, InferContext& ctx);
int64_t Macs(const Attention& op, const InferContext& ctx);
int64_t Macs(const LinearAttention& op, const InferContext& ctx);

// Sizes of an attention; kUnknownDim where the inputs do not say.
struct AttentionSizes {
  bool packed = false;  // inputs are 3-D
  int64_t batch, q_heads, kv_heads, q_length, kv_length, past, size, value_size;
  // Keys in all, past ones first.
  int64_t total() const {
    return IsKnown(past) && IsKnown(kv_length) ? past + kv_length : kUnknownDim;
  }
};

// Checks shapes against each other. `past` is that of the past key, or null.
Result<AttentionSizes> SizeAttention(const Attention& op, const Shape& q,
                                     const Shape& k, const Shape& v,
                                     const Shape* past);

}  // namespace stint
