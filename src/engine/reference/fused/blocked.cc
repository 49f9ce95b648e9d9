#include "engine/reference/fused/blocked.h"

#include "core/base/float_bits.h"
#include "engine/reference/fused/fused.h"
#include "engine/reference/nn/nn.h"

namespace stint {
namespace {

// Element (n, c, pixel) of a blocked image.
int64_t BlockedIndex(const Shape& dims, int64_t n, int64_t c, int64_t pixel) {
  const int64_t plane = dims[2] * dims[3];
  const int64_t block = dims[4];
  return ((n * dims[1] + c / block) * plane + pixel) * block + c % block;
}

// Blocked images may be bfloat16.
float ElementAt(const Tensor& image, int64_t i) {
  if (image.dtype() == DType::kBFloat16) {
    return BFloat16ToFloat(static_cast<const uint16_t*>(image.raw())[i]);
  }
  return image.data<float>()[i];
}

void SetElement(float value, int64_t i, Tensor* image) {
  if (image->dtype() == DType::kBFloat16) {
    static_cast<uint16_t*>(image->raw())[i] = FloatToBFloat16(value);
  } else {
    image->data<float>()[i] = value;
  }
}

void Unblock(const Tensor& blocked, Tensor* plain) {
  const int64_t plane = plain->dim(2) * plain->dim(3);
  float* to = plain->data<float>();
  for (int64_t n = 0; n < plain->dim(0); ++n) {
    for (int64_t c = 0; c < plain->dim(1); ++c) {
      for (int64_t p = 0; p < plane; ++p) {
        *to++ = ElementAt(blocked, BlockedIndex(blocked.shape(), n, c, p));
      }
    }
  }
}

void Block(const Tensor& plain, Tensor* blocked) {
  for (int64_t i = 0; i < blocked->size(); ++i) SetElement(0, i, blocked);
  const int64_t plane = plain.dim(2) * plain.dim(3);
  const float* from = plain.data<float>();
  for (int64_t n = 0; n < plain.dim(0); ++n) {
    for (int64_t c = 0; c < plain.dim(1); ++c) {
      for (int64_t p = 0; p < plane; ++p) {
        SetElement(*from++, BlockedIndex(blocked->shape(), n, c, p), blocked);
      }
    }
  }
}

// [n, c, h, w] by [n, c, 1, 1].
void Multiply(const Tensor& gate, Tensor* image) {
  const int64_t plane = image->dim(2) * image->dim(3);
  for (int64_t i = 0; i < image->size(); ++i) {
    image->data<float>()[i] *= gate.data<float>()[i / plane];
  }
}

Result<Tensor> PlainOf(const Tensor& x, int64_t channels) {
  if (x.rank() != 5) return x;
  Shape dims = PlainDims(x.shape());
  dims[1] = channels;
  STINT_ASSIGN_OR_RETURN(Tensor plain,
                         Tensor::Allocate(DType::kFloat32, std::move(dims)));
  Unblock(x, &plain);
  return plain;
}

// Runs `op` on plain images; `plain_in[i]` replaces input i where it is set.
template <typename PlainOp>
Status EvalPlain(const PlainOp& op, std::vector<Value>* plain_in,
                 int64_t channels, EvalContext& ctx) {
  EvalContext inner(plain_in->size(), 1, ctx.pool());
  for (int i = 0; i < static_cast<int>(plain_in->size()); ++i) {
    if (!ctx.has(i)) continue;
    const bool replaced =
        (*plain_in)[i].is_tensor() && (*plain_in)[i].tensor().raw() != nullptr;
    inner.SetInput(i, replaced ? &(*plain_in)[i] : &ctx.in_value(i));
  }
  Shape dims = PlainDims(ctx.out(0).shape());
  dims[1] = channels;
  STINT_RETURN_IF_ERROR(inner.Allocate(0, DType::kFloat32, dims));
  STINT_RETURN_IF_ERROR(Eval(op, inner));
  Block(inner.out(0), &ctx.out(0));
  return OkStatus();
}

template <typename Pool>
Status EvalPool(const Pool& op, EvalContext& ctx) {
  const int64_t channels = ctx.in(0).dim(1) * ctx.in(0).dim(4);
  std::vector<Value> plain(1);
  STINT_ASSIGN_OR_RETURN(plain[0], PlainOf(ctx.in(0), channels));
  return EvalPlain(op, &plain, channels, ctx);
}

}  // namespace

Status Eval(const ToBlocked&, EvalContext& ctx) {
  Block(ctx.in(0), &ctx.out(0));
  return OkStatus();
}

Status Eval(const FromBlocked&, EvalContext& ctx) {
  Unblock(ctx.in(0), &ctx.out(0));
  return OkStatus();
}

Status Eval(const BlockedConv& op, EvalContext& ctx) {
  const Tensor& w = ctx.in(1);
  std::vector<Value> plain(static_cast<size_t>(ctx.num_inputs()));
  STINT_ASSIGN_OR_RETURN(plain[0], PlainOf(ctx.in(0), w.dim(1) * op.group));
  if (ctx.has(3)) {
    STINT_ASSIGN_OR_RETURN(plain[3], PlainOf(ctx.in(3), w.dim(0)));
  }
  if (ctx.has(4)) {
    STINT_ASSIGN_OR_RETURN(const Tensor gate, PlainOf(ctx.in(4), w.dim(1)));
    Multiply(gate, &plain[0].tensor());
    plain.resize(4);
  }
  return EvalPlain(static_cast<const FusedConv&>(op), &plain, w.dim(0), ctx);
}

Status Eval(const BlockedMaxPool& op, EvalContext& ctx) {
  return EvalPool(static_cast<const MaxPool&>(op), ctx);
}

Status Eval(const BlockedAveragePool& op, EvalContext& ctx) {
  return EvalPool(static_cast<const AveragePool&>(op), ctx);
}

Status Eval(const BlockedGlobalAverage&, EvalContext& ctx) {
  return EvalPool(GlobalAveragePool{}, ctx);
}

}  // namespace stint
