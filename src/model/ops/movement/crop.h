#pragma once
// Ops that keep, drop or reverse parts of a tensor.

#include <string_view>
#include <vector>

#include "model/ops/fields.h"
#include "model/ops/infer_context.h"

namespace stint {

// Inputs x, shape (sizes for `axes`; empty: all): cropped or padded with zeros
// around the center.
struct CenterCropPad {
  static constexpr std::string_view kName = "CenterCropPad";
  std::vector<int64_t> axes;
  STINT_FIELDS(axes)
};

// Inputs x, lengths [batch]: the first `length` slices along time in reverse.
struct ReverseSequence {
  static constexpr std::string_view kName = "ReverseSequence";
  int64_t batch_axis = 1;
  int64_t time_axis = 0;
  STINT_FIELDS(batch_axis, time_axis)
};

// Inputs x [..., rows, columns], k (optional int64, one element): zeros on the
// other side of diagonal k.
struct Trilu {
  static constexpr std::string_view kName = "Trilu";
  int64_t upper = 1;
  STINT_FIELDS(upper)
};

Status Infer(const CenterCropPad& op, InferContext& ctx);
Status Infer(const ReverseSequence& op, InferContext& ctx);
Status Infer(const Trilu& op, InferContext& ctx);

}  // namespace stint
