#pragma once
// Changes of the element type.

#include <string>
#include <string_view>

#include "model/ops/fields.h"
#include "model/ops/infer_context.h"

namespace stint {

// `saturate` matters for 8-bit floats, `round_mode` for float8e8m0.
struct Cast {
  static constexpr std::string_view kName = "Cast";
  DType to = DType::kFloat32;
  int64_t saturate = 1;
  std::string round_mode = "up";
  STINT_FIELDS(to, saturate, round_mode)
};

// Input 0 cast to the element type of input 1.
struct CastLike {
  static constexpr std::string_view kName = "CastLike";
  int64_t saturate = 1;
  std::string round_mode = "up";
  STINT_FIELDS(saturate, round_mode)
};

// The same bits under another type of the same width.
struct BitCast {
  static constexpr std::string_view kName = "BitCast";
  DType to = DType::kFloat32;
  STINT_FIELDS(to)
};

Status Infer(const Cast& op, InferContext& ctx);
Status Infer(const CastLike& op, InferContext& ctx);
Status Infer(const BitCast& op, InferContext& ctx);

}  // namespace stint
