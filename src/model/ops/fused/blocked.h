#pragma once
// Ops on images whose channels lie in blocks: [n, ceil(c / block), h, w,
// block], zeros past the last channel. The engine chooses this layout for a
// machine; no package has these.

#include <string_view>

#include "model/ops/fields.h"
#include "model/ops/fused/fused.h"
#include "model/ops/infer_context.h"
#include "model/ops/nn/pool.h"

namespace stint {

// [n, c, h, w] to blocks.
struct ToBlocked {
  static constexpr std::string_view kName = "ToBlocked";
  int64_t block = 16;
  STINT_FIELDS(block)
};

// Blocks to [n, channels, h, w].
struct FromBlocked {
  static constexpr std::string_view kName = "FromBlocked";
  int64_t channels = 0;
  STINT_FIELDS(channels)
};

// As FusedConv; x and the residual are blocked. A plain 4-D x is taken, too.
// Input 4, where given, is a blocked image of one pixel: one number per channel
// of x, by which x is multiplied first. With `narrow`, y is bfloat16 in blocks
// of 32, whose channels past the last hold anything finite; x and the residual
// may be such images, too.
struct BlockedConv : FusedConv {
  static constexpr std::string_view kName = "BlockedConv";
  static constexpr int64_t kNarrowBlock = 32;
  int64_t block = 16;
  int64_t narrow = 0;
  STINT_FIELDS(activation, auto_pad, block, dilations, group, hi, kernel_shape,
               lo, narrow, pads, strides)
};

struct BlockedMaxPool : MaxPool {
  static constexpr std::string_view kName = "BlockedMaxPool";
};

struct BlockedAveragePool : AveragePool {
  static constexpr std::string_view kName = "BlockedAveragePool";
};

// Blocks to [n, ceil(c / block), 1, 1, block].
struct BlockedGlobalAverage {
  static constexpr std::string_view kName = "BlockedGlobalAverage";
  STINT_FIELDS()
};

// The blocked shape of a plain one and back; 4-D and 5-D. Unknown channels stay
// unknown; back from blocks, channels are counted in whole blocks.
Shape BlockedDims(const Shape& plain, int64_t block);
Shape PlainDims(const Shape& blocked);

Status Infer(const ToBlocked& op, InferContext& ctx);
Status Infer(const FromBlocked& op, InferContext& ctx);
Status Infer(const BlockedConv& op, InferContext& ctx);
Status Infer(const BlockedMaxPool& op, InferContext& ctx);
Status Infer(const BlockedAveragePool& op, InferContext& ctx);
Status Infer(const BlockedGlobalAverage& op, InferContext& ctx);
int64_t Macs(const BlockedConv& op, const InferContext& ctx);

}  // namespace stint
