#pragma once
// Softmax and its relatives along one axis.

#include <string_view>

#include "model/ops/fields.h"
#include "model/ops/infer_context.h"

namespace stint {

struct Softmax {
  static constexpr std::string_view kName = "Softmax";
  int64_t axis = -1;
  STINT_FIELDS(axis)
};

struct LogSoftmax {
  static constexpr std::string_view kName = "LogSoftmax";
  int64_t axis = -1;
  STINT_FIELDS(axis)
};

// 1 at the first maximum along the axis, 0 elsewhere.
struct Hardmax {
  static constexpr std::string_view kName = "Hardmax";
  int64_t axis = -1;
  STINT_FIELDS(axis)
};

Status Infer(const Softmax& op, InferContext& ctx);
Status Infer(const LogSoftmax& op, InferContext& ctx);
Status Infer(const Hardmax& op, InferContext& ctx);

}  // namespace stint
