#include "model/ops/fused/quantized.h"

#include <numeric>
#include <optional>

namespace stint {
namespace {

Status ExpectRank(const InferContext& ctx, int i, int64_t rank) {
  if (!ctx.Ranked({i}) || ctx.in(i).rank() == rank) return OkStatus();
  return InvalidArgument("input " + std::to_string(i) + " is " +
                         ToString(ctx.in(i).dims) + ", expected rank " +
                         std::to_string(rank));
}

// The context of the plain op: images of bytes as if they were not. Channels
// are those stored unless the caller knows better.
struct PlainContext {
  PlainContext(const InferContext& ctx, int num_inputs)
      : types(static_cast<size_t>(num_inputs)) {
    std::vector<InferContext::Input> inputs;
    for (int i = 0; i < num_inputs; ++i) {
      if (!ctx.has(i)) {
        inputs.push_back({});
        continue;
      }
      types[i] = ctx.in(i);
      if (types[i].dtype == DType::kUInt8) {
        types[i].dtype = DType::kFloat32;
        if (ctx.Ranked({i}) && types[i].rank() == 4) {
          types[i].dims = PlainImageDims(types[i].dims);
        }
      }
      inputs.push_back({&types[i], ctx.constant(i)});
    }
    plain.emplace(std::move(inputs), 1);
  }
  std::vector<ValueType> types;
  std::optional<InferContext> plain;
};

// The types of the plain convolution; residual and scales are checked apart.
PlainContext PlainConv(const QuantizedConv& op, const InferContext& ctx) {
  PlainContext inner(ctx, std::min(ctx.num_inputs(), 3));
  // The weights say how many channels there really are.
  if (ctx.Ranked({0, 1}) && ctx.in(0).rank() == 4 && ctx.in(1).rank() == 4) {
    inner.types[0].dims[1] = ctx.in(1).dims[1] * op.group;
  }
  return inner;
}

template <typename Pool>
Status InferPool(const Pool& op, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(ExpectRank(ctx, 0, 4));
  PlainContext inner(ctx, 1);
  STINT_RETURN_IF_ERROR(Infer(op, *inner.plain));
  const ValueType& out = inner.plain->outputs()[0];
  ctx.SetOutputDType(0, DType::kUInt8);
  if (out.ranked && out.rank() == 4) {
    ctx.SetOutput(0, DType::kUInt8, ImageDims(out.dims));
  }
  return OkStatus();
}

// Input 0's shape.
Status InferSame(InferContext& ctx) {
  STINT_RETURN_IF_ERROR(ExpectRank(ctx, 0, 4));
  ctx.SetOutputDType(0, DType::kUInt8);
  if (ctx.Ranked({0})) ctx.SetOutput(0, DType::kUInt8, ctx.in(0).dims);
  return OkStatus();
}

// [n, channels, h, w] in float32 of an image that stores that many.
Status InferPlain(int64_t channels, bool global, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(ExpectRank(ctx, 0, 4));
  ctx.SetOutputDType(0, DType::kFloat32);
  if (!ctx.Ranked({0})) return OkStatus();
  Shape dims = PlainImageDims(ctx.in(0).dims);
  if (channels < 0 || (IsKnown(dims[1]) && channels > dims[1])) {
    return InvalidArgument("stores " + std::to_string(dims[1]) +
                           " channels, expected " + std::to_string(channels));
  }
  dims[1] = channels;
  if (global) dims[2] = dims[3] = 1;
  ctx.SetOutput(0, DType::kFloat32, std::move(dims));
  return OkStatus();
}

}  // namespace

Shape ImageDims(const Shape& plain) {
  const int64_t c = IsKnown(plain[1]) ? ImageChannels(plain[1]) : kUnknownDim;
  return {plain[0], plain[2], plain[3], c};
}

Shape PlainImageDims(const Shape& image) {
  return {image[0], image[3], image[1], image[2]};
}

Status Infer(const QuantizeImage&, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(ExpectRank(ctx, 0, 4));
  ctx.SetOutputDType(0, DType::kUInt8);
  if (ctx.Ranked({0})) {
    ctx.SetOutput(0, DType::kUInt8, ImageDims(ctx.in(0).dims));
  }
  return OkStatus();
}

Status Infer(const DequantizeImage& op, InferContext& ctx) {
  return InferPlain(op.channels, false, ctx);
}

Status Infer(const QuantizedConv& op, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(ExpectRank(ctx, 0, 4));
  STINT_RETURN_IF_ERROR(ExpectRank(ctx, 1, 4));
  PlainContext inner = PlainConv(op, ctx);
  STINT_RETURN_IF_ERROR(Infer(static_cast<const Conv&>(op), *inner.plain));
  const ValueType& out = inner.plain->outputs()[0];
  ctx.SetOutputDType(0, DType::kUInt8);
  if (out.ranked && out.rank() == 4) {
    ctx.SetOutput(0, DType::kUInt8, ImageDims(out.dims));
  }
  return OkStatus();
}

Status Infer(const QuantizedMaxPool& op, InferContext& ctx) {
  return InferPool(static_cast<const MaxPool&>(op), ctx);
}

Status Infer(const QuantizedAveragePool& op, InferContext& ctx) {
  return InferPool(static_cast<const AveragePool&>(op), ctx);
}

Status Infer(const QuantizedGlobalAverage& op, InferContext& ctx) {
  return InferPlain(op.channels, true, ctx);
}

Status Infer(const QuantizedAdd&, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(ExpectRank(ctx, 1, 4));
  return InferSame(ctx);
}

Status Infer(const QuantizedGate&, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(ExpectRank(ctx, 1, 4));
  return InferSame(ctx);
}

Status Infer(const QuantizedConcat& op, InferContext& ctx) {
  const size_t inputs = static_cast<size_t>(ctx.num_inputs());
  if (op.channels.size() != inputs || op.scales.size() != inputs ||
      op.zeros.size() != inputs) {
    return InvalidArgument("has " + std::to_string(inputs) +
                           " inputs, expected a scale, a zero and a number of "
                           "channels of each");
  }
  STINT_RETURN_IF_ERROR(InferSame(ctx));
  if (!ctx.Ranked({0})) return OkStatus();
  Shape dims = ctx.in(0).dims;
  dims[3] = ImageChannels(
      std::accumulate(op.channels.begin(), op.channels.end(), int64_t{0}));
  ctx.SetOutput(0, DType::kUInt8, std::move(dims));
  return OkStatus();
}

Status Infer(const QuantizedLookup&, InferContext& ctx) {
  if (ctx.Ranked({1}) && ctx.in(1).dims != Shape{256}) {
    return InvalidArgument("table " + ToString(ctx.in(1).dims) +
                           ", expected [256]");
  }
  return InferSame(ctx);
}

int64_t Macs(const QuantizedConv& op, const InferContext& ctx) {
  PlainContext inner = PlainConv(op, ctx);
  if (!Infer(static_cast<const Conv&>(op), *inner.plain).ok()) return 0;
  return Macs(static_cast<const Conv&>(op), *inner.plain);
}

}  // namespace stint
