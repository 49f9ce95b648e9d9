#pragma once
// Elements put at given places. Negative indices count from the end.

#include <string>
#include <string_view>
#include <vector>

#include "model/ops/fields.h"
#include "model/ops/infer_context.h"
#include "model/ops/linear/conv.h"

namespace stint {

// Inputs data, indices, updates (shaped like indices): one index per update.
// reduction: "none", "add", "mul", "min", "max".
struct ScatterElements {
  static constexpr std::string_view kName = "ScatterElements";
  int64_t axis = 0;
  std::string reduction = "none";
  STINT_FIELDS(axis, reduction)
};

// The last dimension of the indices is a coordinate of a slice of data.
struct ScatterND {
  static constexpr std::string_view kName = "ScatterND";
  std::string reduction = "none";
  STINT_FIELDS(reduction)
};

// Inputs past_cache, update, write_indices [batch] (optional: zeros): the
// update replaces consecutive slices of the cache; mode "linear", "circular".
struct TensorScatter {
  static constexpr std::string_view kName = "TensorScatter";
  int64_t axis = -2;
  std::string mode = "linear";
  STINT_FIELDS(axis, mode)
};

// Inputs indices, depth (one element), values (off, on): a new axis of `depth`
// elements that are `off` but for the one at the index.
struct OneHot {
  static constexpr std::string_view kName = "OneHot";
  int64_t axis = -1;
  STINT_FIELDS(axis)
};

// Inputs x, indices into the flattened output, output_shape (optional).
struct MaxUnpool {
  static constexpr std::string_view kName = "MaxUnpool";
  std::vector<int64_t> kernel_shape;
  std::vector<int64_t> pads;
  std::vector<int64_t> strides;
  STINT_FIELDS(kernel_shape, pads, strides)
};

// Inputs columns [n, c * block, blocks], image_shape, block_shape: the sum of
// overlapping blocks, [n, c, image].
struct Col2Im {
  static constexpr std::string_view kName = "Col2Im";
  std::vector<int64_t> dilations;
  std::vector<int64_t> pads;
  std::vector<int64_t> strides;
  STINT_FIELDS(dilations, pads, strides)
};

Status Infer(const ScatterElements& op, InferContext& ctx);
Status Infer(const ScatterND& op, InferContext& ctx);
Status Infer(const TensorScatter& op, InferContext& ctx);
Status Infer(const OneHot& op, InferContext& ctx);
Status Infer(const MaxUnpool& op, InferContext& ctx);
Status Infer(const Col2Im& op, InferContext& ctx);

// The shape that pooling would have turned into `x`.
Result<Shape> UnpooledShape(const MaxUnpool& op, const Shape& x);

// The resolved window that cut blocks out of an image.
Result<Window> BlockWindow(const Col2Im& op, const Shape& image,
                           const Shape& block);

}  // namespace stint
