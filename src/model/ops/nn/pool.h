#pragma once
// Pooling over the spatial dimensions of [n, c, spatial].

#include <string>
#include <string_view>
#include <vector>

#include "model/ops/fields.h"
#include "model/ops/infer_context.h"
#include "model/ops/linear/conv.h"

namespace stint {

// Outputs y and, when asked for, the int64 index of each maximum in the
// flattened input (column-major inside an image when storage_order is 1).
struct MaxPool {
  static constexpr std::string_view kName = "MaxPool";
  std::string auto_pad = "NOTSET";
  int64_t ceil_mode = 0;
  std::vector<int64_t> dilations;
  std::vector<int64_t> kernel_shape;
  std::vector<int64_t> pads;
  int64_t storage_order = 0;
  std::vector<int64_t> strides;
  STINT_FIELDS(auto_pad, ceil_mode, dilations, kernel_shape, pads,
               storage_order, strides)
};

struct AveragePool {
  static constexpr std::string_view kName = "AveragePool";
  std::string auto_pad = "NOTSET";
  int64_t ceil_mode = 0;
  int64_t count_include_pad = 0;
  std::vector<int64_t> dilations;
  std::vector<int64_t> kernel_shape;
  std::vector<int64_t> pads;
  std::vector<int64_t> strides;
  STINT_FIELDS(auto_pad, ceil_mode, count_include_pad, dilations, kernel_shape,
               pads, strides)
};

struct LpPool {
  static constexpr std::string_view kName = "LpPool";
  std::string auto_pad = "NOTSET";
  int64_t ceil_mode = 0;
  std::vector<int64_t> dilations;
  std::vector<int64_t> kernel_shape;
  int64_t p = 2;
  std::vector<int64_t> pads;
  std::vector<int64_t> strides;
  STINT_FIELDS(auto_pad, ceil_mode, dilations, kernel_shape, p, pads, strides)
};

// Over all spatial dimensions, which become 1.
struct GlobalAveragePool {
  static constexpr std::string_view kName = "GlobalAveragePool";
  STINT_FIELDS()
};
struct GlobalMaxPool {
  static constexpr std::string_view kName = "GlobalMaxPool";
  STINT_FIELDS()
};
struct GlobalLpPool {
  static constexpr std::string_view kName = "GlobalLpPool";
  int64_t p = 2;
  STINT_FIELDS(p)
};

Status Infer(const MaxPool& op, InferContext& ctx);
Status Infer(const AveragePool& op, InferContext& ctx);
Status Infer(const LpPool& op, InferContext& ctx);
Status Infer(const GlobalAveragePool& op, InferContext& ctx);
Status Infer(const GlobalMaxPool& op, InferContext& ctx);
Status Infer(const GlobalLpPool& op, InferContext& ctx);

// The resolved window of a pooling op over an input of the given shape.
template <typename Pool>
Result<Window> PoolWindow(const Pool& op, const Shape& x) {
  if (x.size() < 3) {
    return InvalidArgument("input " + ToString(x) + ", expected [n,c,...]");
  }
  Window window{op.kernel_shape, op.strides, op.pads, op.dilations};
  return ResolveWindow(std::move(window), op.auto_pad,
                       Shape(x.begin() + 2, x.end()));
}

}  // namespace stint
