#pragma once
// Ops on images of bytes with channels last: [n, h, w, ImageChannels(c)], where
// byte q stands for scale * (q - zero) and bytes past the last channel have any
// value. The engine makes them from measured ranges; no package has these.

#include <string_view>
#include <vector>

#include "model/ops/fields.h"
#include "model/ops/fused/fused.h"
#include "model/ops/infer_context.h"
#include "model/ops/nn/pool.h"

namespace stint {

// Channels as they are stored: whole vectors of 16, or the 4 bytes of one
// product for pictures.
inline int64_t ImageChannels(int64_t channels) {
  return channels <= 4 ? 4 : (channels + 15) / 16 * 16;
}

// [n, c, h, w] in float32 to bytes.
struct QuantizeImage {
  static constexpr std::string_view kName = "QuantizeImage";
  float scale = 1;
  int64_t zero = 0;
  STINT_FIELDS(scale, zero)
};

// Bytes to [n, channels, h, w] in float32.
struct DequantizeImage {
  static constexpr std::string_view kName = "DequantizeImage";
  int64_t channels = 0;
  float scale = 1;
  int64_t zero = 0;
  STINT_FIELDS(channels, scale, zero)
};

// As FusedConv, then values below 0 times `leak`. Inputs x, w and bias
// (optional) in float32, residual (optional, of y's shape, scale r_scale and
// zero r_zero), and the scales [oc] of the weights (optional): without them,
// the largest weight of an output channel becomes 127.
struct QuantizedConv : FusedConv {
  static constexpr std::string_view kName = "QuantizedConv";
  float leak = 1;
  float r_scale = 1;
  int64_t r_zero = 0;
  float x_scale = 1;
  int64_t x_zero = 0;
  float y_scale = 1;
  int64_t y_zero = 0;
  STINT_FIELDS(activation, auto_pad, dilations, group, hi, kernel_shape, leak,
               lo, pads, r_scale, r_zero, strides, x_scale, x_zero, y_scale,
               y_zero)

  static constexpr int kResidual = 3;
  static constexpr int kWeightScales = 4;
};

// The output has the input's scale and zero.
struct QuantizedMaxPool : MaxPool {
  static constexpr std::string_view kName = "QuantizedMaxPool";
};

// As above. `zero` is what the padding holds.
struct QuantizedAveragePool : AveragePool {
  static constexpr std::string_view kName = "QuantizedAveragePool";
  int64_t zero = 0;
  STINT_FIELDS(auto_pad, ceil_mode, count_include_pad, dilations, kernel_shape,
               pads, strides, zero)
};

// Bytes to [n, channels, 1, 1] in float32.
struct QuantizedGlobalAverage {
  static constexpr std::string_view kName = "QuantizedGlobalAverage";
  int64_t channels = 0;
  float scale = 1;
  int64_t zero = 0;
  STINT_FIELDS(channels, scale, zero)
};

// y = a + b; all three are images of bytes.
struct QuantizedAdd {
  static constexpr std::string_view kName = "QuantizedAdd";
  float a_scale = 1;
  int64_t a_zero = 0;
  float b_scale = 1;
  int64_t b_zero = 0;
  float y_scale = 1;
  int64_t y_zero = 0;
  STINT_FIELDS(a_scale, a_zero, b_scale, b_zero, y_scale, y_zero)
};

// y = x * gate, where the gate is [n, c, 1, 1] in float32.
struct QuantizedGate {
  static constexpr std::string_view kName = "QuantizedGate";
  float x_scale = 1;
  int64_t x_zero = 0;
  float y_scale = 1;
  int64_t y_zero = 0;
  STINT_FIELDS(x_scale, x_zero, y_scale, y_zero)
};

// Images side by side along the channels, `channels`, `scales` and `zeros` of
// each.
struct QuantizedConcat {
  static constexpr std::string_view kName = "QuantizedConcat";
  std::vector<int64_t> channels;
  std::vector<float> scales;
  float y_scale = 1;
  int64_t y_zero = 0;
  std::vector<int64_t> zeros;
  STINT_FIELDS(channels, scales, y_scale, y_zero, zeros)
};

// y = table[x]: any function of one element. The table is [256] bytes.
struct QuantizedLookup {
  static constexpr std::string_view kName = "QuantizedLookup";
  STINT_FIELDS()
};

// [n, h, w, c] of a plain [n, c, h, w] and back; channels are those stored.
Shape ImageDims(const Shape& plain);
Shape PlainImageDims(const Shape& image);

Status Infer(const QuantizeImage& op, InferContext& ctx);
Status Infer(const DequantizeImage& op, InferContext& ctx);
Status Infer(const QuantizedConv& op, InferContext& ctx);
Status Infer(const QuantizedMaxPool& op, InferContext& ctx);
Status Infer(const QuantizedAveragePool& op, InferContext& ctx);
Status Infer(const QuantizedGlobalAverage& op, InferContext& ctx);
Status Infer(const QuantizedAdd& op, InferContext& ctx);
Status Infer(const QuantizedGate& op, InferContext& ctx);
Status Infer(const QuantizedConcat& op, InferContext& ctx);
Status Infer(const QuantizedLookup& op, InferContext& ctx);
int64_t Macs(const QuantizedConv& op, const InferContext& ctx);

}  // namespace stint
