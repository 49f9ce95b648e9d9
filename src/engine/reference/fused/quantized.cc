#include "engine/reference/fused/quantized.h"

#include <algorithm>
#include <cmath>

#include "engine/reference/fused/fused.h"
#include "engine/reference/nn/nn.h"

namespace stint {
namespace {

struct Code {
  float scale = 1;
  int64_t zero = 0;
  float leak = 1;  // of values below 0, when they become bytes
};

uint8_t ToByte(float x, const Code& code) {
  if (x < 0) x *= code.leak;
  const float q =
      std::nearbyint(x / code.scale) + static_cast<float>(code.zero);
  return static_cast<uint8_t>(std::clamp(q, 0.0f, 255.0f));
}

// Calls visit(index in the image, index in the plain tensor).
template <typename Visit>
void ForEachPixel(const Shape& image, const Shape& plain, Visit visit) {
  const int64_t plane = plain[2] * plain[3];
  for (int64_t n = 0; n < plain[0]; ++n) {
    for (int64_t c = 0; c < plain[1]; ++c) {
      for (int64_t p = 0; p < plane; ++p) {
        visit((n * plane + p) * image[3] + c, (n * plain[1] + c) * plane + p);
      }
    }
  }
}

void Dequantize(const Tensor& image, const Code& code, Tensor* plain) {
  ForEachPixel(image.shape(), plain->shape(), [&](int64_t i, int64_t p) {
    plain->data<float>()[p] =
        code.scale * static_cast<float>(image.data<uint8_t>()[i] - code.zero);
  });
}

void Quantize(const Tensor& plain, const Code& code, Tensor* image) {
  std::fill_n(image->data<uint8_t>(), image->size(),
              static_cast<uint8_t>(code.zero));
  ForEachPixel(image->shape(), plain.shape(), [&](int64_t i, int64_t p) {
    image->data<uint8_t>()[i] = ToByte(plain.data<float>()[p], code);
  });
}

Result<Tensor> PlainOf(const Tensor& image, int64_t channels,
                       const Code& code) {
  Shape dims = PlainImageDims(image.shape());
  dims[1] = channels;
  STINT_ASSIGN_OR_RETURN(Tensor plain,
                         Tensor::Allocate(DType::kFloat32, std::move(dims)));
  Dequantize(image, code, &plain);
  return plain;
}

// Runs the plain `op` on `inputs`, those without memory left out, and stores
// its output as bytes.
template <typename PlainOp>
Status EvalPlain(const PlainOp& op, const std::vector<Value>& inputs,
                 int64_t channels, const Code& code, EvalContext& ctx) {
  EvalContext inner(inputs.size(), 1, ctx.pool());
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].tensor().raw() == nullptr) continue;
    inner.SetInput(static_cast<int>(i), &inputs[i]);
  }
  Shape dims = PlainImageDims(ctx.out(0).shape());
  dims[1] = channels;
  STINT_RETURN_IF_ERROR(inner.Allocate(0, DType::kFloat32, dims));
  STINT_RETURN_IF_ERROR(Eval(op, inner));
  Quantize(inner.out(0), code, &ctx.out(0));
  return OkStatus();
}

// Weights rounded to multiples of their channel's scale.
Result<Tensor> RoundedWeights(const Tensor& w, const Tensor* scales) {
  STINT_ASSIGN_OR_RETURN(Tensor rounded, w.Clone());
  const int64_t step = w.size() / std::max<int64_t>(1, w.dim(0));
  for (int64_t o = 0; o < w.dim(0); ++o) {
    float* row = rounded.data<float>() + o * step;
    float scale = 0;
    for (int64_t i = 0; i < step; ++i) {
      scale = std::max(scale, std::fabs(row[i]) / 127);
    }
    if (scales != nullptr) scale = scales->data<float>()[o];
    for (int64_t i = 0; i < step && scale > 0; ++i) {
      row[i] =
          scale * std::clamp(std::nearbyint(row[i] / scale), -128.0f, 127.0f);
    }
  }
  return rounded;
}

template <typename Pool>
Status EvalPool(const Pool& op, int64_t zero, EvalContext& ctx) {
  const int64_t channels = ctx.in(0).dim(3);
  const Code code{1, zero};
  STINT_ASSIGN_OR_RETURN(Tensor plain, PlainOf(ctx.in(0), channels, code));
  return EvalPlain(op, {Value(std::move(plain))}, channels, code, ctx);
}

}  // namespace

Status Eval(const QuantizeImage& op, EvalContext& ctx) {
  Quantize(ctx.in(0), {op.scale, op.zero}, &ctx.out(0));
  return OkStatus();
}

Status Eval(const DequantizeImage& op, EvalContext& ctx) {
  Dequantize(ctx.in(0), {op.scale, op.zero}, &ctx.out(0));
  return OkStatus();
}

Status Eval(const QuantizedConv& op, EvalContext& ctx) {
  const Tensor& w = ctx.in(1);
  const bool has_scales = ctx.has(QuantizedConv::kWeightScales);
  std::vector<Value> inputs(4);
  STINT_ASSIGN_OR_RETURN(inputs[0], PlainOf(ctx.in(0), w.dim(1) * op.group,
                                            {op.x_scale, op.x_zero}));
  STINT_ASSIGN_OR_RETURN(
      inputs[1],
      RoundedWeights(
          w, has_scales ? &ctx.in(QuantizedConv::kWeightScales) : nullptr));
  if (ctx.has(2)) inputs[2] = ctx.in_value(2);
  if (ctx.has(3)) {
    STINT_ASSIGN_OR_RETURN(
        inputs[3], PlainOf(ctx.in(3), w.dim(0), {op.r_scale, op.r_zero}));
  }
  return EvalPlain(static_cast<const FusedConv&>(op), inputs, w.dim(0),
                   {op.y_scale, op.y_zero, op.leak}, ctx);
}

Status Eval(const QuantizedMaxPool& op, EvalContext& ctx) {
  return EvalPool(static_cast<const MaxPool&>(op), 0, ctx);
}

Status Eval(const QuantizedAveragePool& op, EvalContext& ctx) {
  return EvalPool(static_cast<const AveragePool&>(op), op.zero, ctx);
}

Status Eval(const QuantizedGlobalAverage& op, EvalContext& ctx) {
  EvalContext inner(1, 1, ctx.pool());
  STINT_ASSIGN_OR_RETURN(Tensor plain,
                         PlainOf(ctx.in(0), op.channels, {op.scale, op.zero}));
  const Value x(std::move(plain));
  inner.SetInput(0, &x);
  inner.SetOutput(0, ctx.out(0));
  return Eval(GlobalAveragePool{}, inner);
}

Status Eval(const QuantizedAdd& op, EvalContext& ctx) {
  const Tensor& a = ctx.in(0);
  const Tensor& b = ctx.in(1);
  for (int64_t i = 0; i < a.size(); ++i) {
    const float sum =
        op.a_scale * static_cast<float>(a.data<uint8_t>()[i] - op.a_zero) +
        op.b_scale * static_cast<float>(b.data<uint8_t>()[i] - op.b_zero);
    ctx.out(0).data<uint8_t>()[i] = ToByte(sum, {op.y_scale, op.y_zero});
  }
  return OkStatus();
}

Status Eval(const QuantizedGate& op, EvalContext& ctx) {
  const Tensor& x = ctx.in(0);
  const Tensor& gate = ctx.in(1);
  const int64_t channels = gate.dim(1);
  STINT_ASSIGN_OR_RETURN(Tensor plain,
                         PlainOf(x, channels, {op.x_scale, op.x_zero}));
  const int64_t plane = plain.dim(2) * plain.dim(3);
  for (int64_t i = 0; i < plain.size(); ++i) {
    plain.data<float>()[i] *= gate.data<float>()[i / plane];
  }
  Quantize(plain, {op.y_scale, op.y_zero}, &ctx.out(0));
  return OkStatus();
}

Status Eval(const QuantizedConcat& op, EvalContext& ctx) {
  Tensor& y = ctx.out(0);
  std::fill_n(y.data<uint8_t>(), y.size(), static_cast<uint8_t>(op.y_zero));
  const Code code{op.y_scale, op.y_zero};
  int64_t first = 0;
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    const Tensor& x = ctx.in(i);
    const size_t k = static_cast<size_t>(i);
    Shape plain = PlainImageDims(x.shape());
    plain[1] = op.channels[k];
    ForEachPixel(x.shape(), plain, [&](int64_t at, int64_t) {
      const float value =
          op.scales[k] *
          static_cast<float>(x.data<uint8_t>()[at] - op.zeros[k]);
      y.data<uint8_t>()[at / x.dim(3) * y.dim(3) + first + at % x.dim(3)] =
          ToByte(value, code);
    });
    first += op.channels[k];
  }
  return OkStatus();
}

Status Eval(const QuantizedLookup&, EvalContext& ctx) {
  const uint8_t* table = ctx.in(1).data<uint8_t>();
  const Tensor& x = ctx.in(0);
  for (int64_t i = 0; i < x.size(); ++i) {
    ctx.out(0).data<uint8_t>()[i] = table[x.data<uint8_t>()[i]];
  }
  return OkStatus();
}

}  // namespace stint
