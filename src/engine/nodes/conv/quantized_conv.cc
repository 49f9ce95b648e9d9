#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "engine/bind/conv_shape.h"
#include "engine/choose/integer_choice.h"
#include "engine/nodes/nodes.h"
#include "engine/reference/fused_activation.h"
#include "kernels/conv_s8/conv_s8_table.h"
#include "kernels/conv_s8/sparse.h"

namespace stint {
namespace {

// Sums of products that stay within int32 with any bytes.
constexpr int64_t kMaxProducts = 65536;
// Largest bias in units of a sum: it leaves room for the products.
constexpr float kMaxBias = 1 << 29;

std::string LayoutOf(const ConvS8Kernel& kernel) {
  return std::string("conv_s8/") + kernel.name;
}

// A layer in integers.
struct IntegerLayer {
  std::vector<int8_t> w;
  std::vector<int32_t> bias;
  std::vector<float> multiplier;
};

// The scale of an output channel's weights: the largest becomes 127, unless the
// bias would then not fit.
float WeightScale(const float* w, int64_t count, float bias, float x_scale) {
  float largest = 0;
  for (int64_t i = 0; i < count; ++i) {
    largest = std::max(largest, std::fabs(w[i]));
  }
  const float scale =
      std::max(largest / 127, std::fabs(bias) / x_scale / kMaxBias);
  return scale > 0 ? scale : 1;
}

// `unit` is what one step of the result is worth.
IntegerLayer ToIntegers(const QuantizedConv& op, const InferContext& ctx,
                        float unit) {
  const Tensor& w = *ctx.constant(1);
  const Tensor* bias = ctx.constant(2);
  const Tensor* scales = ctx.constant(QuantizedConv::kWeightScales);
  const int64_t channels = w.dim(0);
  const int64_t count = w.size() / channels;
  IntegerLayer layer;
  layer.w.resize(static_cast<size_t>(w.size()));
  for (int64_t o = 0; o < channels; ++o) {
    const float* from = w.data<float>() + o * count;
    const float b = bias ? bias->data<float>()[o] : 0.0f;
    const float scale = scales ? scales->data<float>()[o]
                               : WeightScale(from, count, b, op.x_scale);
    int64_t sum = 0;
    for (int64_t i = 0; i < count; ++i) {
      const float q = std::nearbyint(from[i] / scale);
      layer.w[o * count + i] =
          static_cast<int8_t>(std::clamp(q, -128.0f, 127.0f));
      sum += layer.w[o * count + i];
    }
    const float start =
        std::clamp(b / (op.x_scale * scale), -kMaxBias, kMaxBias);
    layer.bias.push_back(
        static_cast<int32_t>(std::llround(start) - op.x_zero * sum));
    layer.multiplier.push_back(op.x_scale * scale / unit);
  }
  return layer;
}

uint8_t ClampByte(float x) {
  return static_cast<uint8_t>(std::clamp(x, 0.0f, 255.0f));
}

ConvS8Output OutputOf(const QuantizedConv& op) {
  ConvS8Output out;
  out.zero = static_cast<int>(op.y_zero);
  out.r_zero = static_cast<int>(op.r_zero);
  out.leak = op.leak;
  const Activation act = ActivationOf(op);
  if (act.curve != Curve::kNone) {
    out.act = act;
    out.r_scale = op.r_scale;
    out.inverse = 1 / op.y_scale;
    out.table = CurveTableOf(act.curve);
    return out;
  }
  out.r_scale = op.r_scale / op.y_scale;
  const auto byte = [&](float x) {
    return ClampByte(std::nearbyint(x / op.y_scale) +
                     static_cast<float>(op.y_zero));
  };
  out.lo = byte(op.lo);
  out.hi = byte(op.hi);
  return out;
}

class QuantizedConvKernel : public NodeKernel {
 public:
  QuantizedConvKernel(const QuantizedConv& op, const IntegerChoice& choice,
                      Isa isa, Shape w)
      : op_(op),
        choice_(choice),
        kernel_(*choice.kernel),
        isa_(isa),
        w_(std::move(w)),
        out_(OutputOf(op)) {}

  int64_t in_channels() const { return w_[1] * op_.group; }

  // Packing does not depend on the size of images; any will do.
  Status Pack(const ConvF32Shape& shape, const IntegerLayer& layer) {
    const int64_t pixel = ImageChannels(in_channels());
    STINT_ASSIGN_OR_RETURN(
        Tensor data,
        Tensor::Allocate(DType::kInt8,
                         {kernel_.packed_bytes(kernel_, shape, pixel)}));
    kernel_.pack(
        kernel_, shape,
        {layer.w.data(), layer.bias.data(), layer.multiplier.data(), pixel},
        data.data<int8_t>());
    if (kernel_.sparse != nullptr) {
      const int64_t used = SparseS8UsedBytes(shape, data.data<int8_t>());
      STINT_ASSIGN_OR_RETURN(Tensor small,
                             Tensor::Allocate(DType::kInt8, {used}));
      std::memcpy(small.raw(), data.raw(), small.bytes());
      data = std::move(small);
    }
    packed_ = {LayoutOf(kernel_), {std::move(data)}};
    return OkStatus();
  }

  // What a kernel of the same node packed before.
  void Share(const PackedWeights& packed) { packed_ = packed; }
  const PackedWeights* packed() const override { return &packed_; }

  KernelChoice Explain(const EvalContext& ctx) const override {
    return ExplainInteger(choice_, ctx.state<State>().shape, isa_);
  }

  Result<std::unique_ptr<StepState>> Prepare(const EvalContext& ctx) override {
    Shape dims = PlainImageDims(ctx.in(0).shape());
    dims[1] = in_channels();
    auto state = std::make_unique<State>();
    STINT_ASSIGN_OR_RETURN(state->shape, ConvShapeOf(op_, dims, w_));
    return std::unique_ptr<StepState>(std::move(state));
  }

  size_t ScratchBytes(const EvalContext& ctx) const override {
    return static_cast<size_t>(
        kernel_.scratch_bytes(kernel_, ctx.state<State>().shape,
                              ctx.in(0).dim(3), ctx.pool()->threads()));
  }

  Status Run(EvalContext& ctx) override {
    ConvS8Args args;
    args.shape = ctx.state<State>().shape;
    args.x = ctx.in(0).data<uint8_t>();
    args.x_pixel = ctx.in(0).dim(3);
    args.x_zero = static_cast<uint8_t>(op_.x_zero);
    args.w = packed_.parts[0].data<int8_t>();
    args.residual = ctx.has(QuantizedConv::kResidual)
                        ? ctx.in(QuantizedConv::kResidual).data<uint8_t>()
                        : nullptr;
    args.out = out_;
    args.y = ctx.out(0).data<uint8_t>();
    args.y_pixel = ctx.out(0).dim(3);
    args.scratch = static_cast<uint8_t*>(ctx.scratch());
    kernel_.run(kernel_, args, ctx.pool());
    return OkStatus();
  }

 private:
  struct State : StepState {
    ConvF32Shape shape;
  };
  const QuantizedConv op_;
  const IntegerChoice choice_;
  const ConvS8Kernel& kernel_;
  const Isa isa_;
  const Shape w_;
  const ConvS8Output out_;
  PackedWeights packed_;
};

// The kernel that packed weights are for; null: none here reads them.
const ConvS8Kernel* FindPacked(const ConvF32Shape& shape,
                               const PackedWeights& packed, Isa isa) {
  for (const ConvS8Kernel& dense : ConvS8Table()) {
    if (dense.isa <= isa && dense.supports(shape) &&
        packed.layout == LayoutOf(dense)) {
      return &dense;
    }
  }
  for (const ConvS8Kernel& sparse : ConvS8SparseTable()) {
    if (sparse.isa > isa || packed.layout != LayoutOf(sparse)) continue;
    const bool valid = packed.parts.size() == 1 &&
                       packed.parts[0].dtype() == DType::kInt8 &&
                       packed.parts[0].has_elements() &&
                       IsSparseS8(shape, packed.parts[0].data<int8_t>(),
                                  packed.parts[0].size());
    return valid ? &sparse : nullptr;
  }
  return nullptr;
}

// The layer on one image of the size that is known, or of size 0.
ConvF32Shape ShapeOnImages(const QuantizedConv& op, const InferContext& ctx,
                           ConvF32Shape any) {
  const Shape& image = ctx.in(0).dims;  // [n, h, w, stored channels]
  if (image.size() == 4 && IsKnown(image[1]) && IsKnown(image[2])) {
    const Shape& w = ctx.constant(1)->shape();
    const Shape plain = {1, any.in_channels, image[1], image[2]};
    const auto shape = ConvShapeOf(op, plain, w);
    if (shape.ok()) return *shape;
  }
  any.in_h = any.in_w = 0;
  return any;
}

}  // namespace

NodeKernelPtr Bind(const QuantizedConv& op, const InferContext& ctx,
                   const KernelSite& site) {
  const Tensor* w = ctx.constant(1);
  const bool constant_bias = !ctx.has(2) || ctx.constant(2) != nullptr;
  if (w == nullptr || w->rank() != 4 || w->size() == 0 || !constant_bias ||
      w->size() / w->dim(0) > kMaxProducts) {
    return nullptr;
  }
  const Shape any = {1, w->dim(1) * op.group, 8 * w->dim(2), 8 * w->dim(3)};
  FusedConv plain = op;
  plain.dilations = {};
  auto shape = ConvShapeOf(plain, any, w->shape());
  if (!shape.ok()) return nullptr;
  if (op.dilations.size() == 2) {
    shape->dilation_h = op.dilations[0];
    shape->dilation_w = op.dilations[1];
  }
  if (!w->has_elements()) {
    if (site.packed == nullptr) return nullptr;
    const auto* kernel = FindPacked(*shape, *site.packed, site.isa);
    if (kernel == nullptr) return nullptr;
    IntegerChoice choice{kernel};
    choice.packed = true;
    auto bound =
        std::make_unique<QuantizedConvKernel>(op, choice, site.isa, w->shape());
    bound->Share(*site.packed);
    return bound;
  }
  const bool curve = CurveNamed(op.activation) != Curve::kNone;
  const IntegerLayer layer = ToIntegers(op, ctx, curve ? 1 : op.y_scale);
  const IntegerChoice choice =
      ChooseInteger({ShapeOnImages(op, ctx, *shape), layer.w.data()}, site);
  auto bound =
      std::make_unique<QuantizedConvKernel>(op, choice, site.isa, w->shape());
  if (!bound->Pack(*shape, layer).ok()) return nullptr;
  return bound;
}

}  // namespace stint
