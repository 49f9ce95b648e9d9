#pragma once
// Ops that choose elements by their values.

#include <cstdint>
#include <string_view>

#include "model/ops/fields.h"
#include "model/ops/infer_context.h"

namespace stint {

// The value of `axis` where the attribute is left out: the input is flattened.
inline constexpr int64_t kFlattened = INT64_MIN;

// Inputs x, k (int64, one element); outputs values and int64 indices, best
// first; of equal values the one with the lower index comes first.
struct TopK {
  static constexpr std::string_view kName = "TopK";
  int64_t axis = -1;
  int64_t largest = 1;
  int64_t sorted = 1;
  STINT_FIELDS(axis, largest, sorted)
};

// Outputs: distinct slices along the axis and int64 vectors: where each first
// occurs, which one each slice is, how often each occurs.
struct Unique {
  static constexpr std::string_view kName = "Unique";
  int64_t axis = kFlattened;
  int64_t sorted = 1;
  STINT_FIELDS(axis, sorted)
};

// Coordinates of the elements that are not 0: int64 [rank, count].
struct NonZero {
  static constexpr std::string_view kName = "NonZero";
  STINT_FIELDS()
};

// Inputs x, condition (bool vector): the slices for which it is true.
struct Compress {
  static constexpr std::string_view kName = "Compress";
  int64_t axis = kFlattened;
  STINT_FIELDS(axis)
};

// Inputs boxes [n, boxes, 4], scores [n, classes, boxes], then optional
// scalars: boxes per class (absent: none), IoU threshold, score threshold.
// Output int64 [selected, 3]: batch, class, box.
struct NonMaxSuppression {
  static constexpr std::string_view kName = "NonMaxSuppression";
  int64_t center_point_box = 0;
  STINT_FIELDS(center_point_box)
};

Status Infer(const TopK& op, InferContext& ctx);
Status Infer(const Unique& op, InferContext& ctx);
Status Infer(const NonZero& op, InferContext& ctx);
Status Infer(const Compress& op, InferContext& ctx);
Status Infer(const NonMaxSuppression& op, InferContext& ctx);

}  // namespace stint
