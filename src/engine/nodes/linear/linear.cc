#include <algorithm>

#include "core/base/checked_math.h"
#include "core/tensor/broadcast.h"
#include "engine/bind/restore_weights.h"
#include "engine/nodes/linear/linear_layer.h"
#include "engine/nodes/linear/linear_parts.h"
#include "kernels/simd/curves.h"

namespace stint {
namespace {

// The residual has the shape of the output, as products can take it.
bool ResidualFits(const EvalContext& ctx, int64_t n) {
  if (!ctx.has(1)) return true;
  const Shape& x = ctx.in(0).shape();
  const Shape& r = ctx.in(1).shape();
  return r.size() == x.size() && r.back() == n &&
         std::equal(r.begin(), r.end() - 1, x.begin());
}

// y = act(product + residual), where either may broadcast.
void AddResidual(const Tensor& product, const Tensor& residual,
                 const Activation& act, Tensor* y) {
  const BroadcastWalk walk(y->shape(), {&product.shape(), &residual.shape()});
  const float* a = product.data<float>();
  const float* b = residual.data<float>();
  float* out = y->data<float>();
  walk.ForEachRun([&](int64_t first, const int64_t* in) {
    for (int64_t i = 0; i < walk.run_length(); ++i) {
      const float sum = a[in[0] + (walk.repeats(0) ? 0 : i)] +
                        b[in[1] + (walk.repeats(1) ? 0 : i)];
      out[first + i] = static_cast<float>(ReferenceActivation(sum, act));
    }
  });
}

// Copies a part into columns [first, ...) of the joined matrix.
void CopyPart(const Tensor& part, int64_t first, JoinedWeights* joined) {
  const float* from = part.data<float>();
  if (joined->transposed) {
    std::copy_n(from, part.size(), joined->copy.data() + first * joined->k);
    return;
  }
  const int64_t n = part.dim(1);
  for (int64_t i = 0; i < joined->k; ++i) {
    std::copy_n(from + i * n, n, joined->copy.data() + i * joined->n + first);
  }
}

JoinedWeights Join(const LinearParts& parts, bool transposed) {
  JoinedWeights joined;
  joined.k = parts.k;
  joined.n = parts.n;
  joined.transposed = transposed;
  joined.stride = transposed ? joined.k : joined.n;
  joined.data = parts.weights[0]->data<float>();
  if (parts.weights.size() == 1) return joined;
  joined.copy.resize(static_cast<size_t>(joined.k * joined.n));
  int64_t first = 0;
  for (const Tensor* part : parts.weights) {
    CopyPart(*part, first, &joined);
    first += part->dim(transposed ? 0 : 1);
  }
  joined.data = joined.copy.data();
  return joined;
}

// From weights that only exist packed.
std::optional<JoinedWeights> Unpack(const LinearParts& parts,
                                    const PackedWeights& packed) {
  auto matrix = UnpackMatrix(packed, parts.k, parts.n);
  if (!matrix) return std::nullopt;
  JoinedWeights joined;
  joined.k = parts.k;
  joined.n = joined.stride = parts.n;
  joined.copy = std::move(*matrix);
  joined.data = joined.copy.data();
  return joined;
}

const LinearPrecision& PrecisionOf(LinearForm form) {
  switch (form) {
    case LinearForm::kBFloat16:
      return kLinearBf16;
    case LinearForm::kInt8:
      return kLinearInt8;
    case LinearForm::kSparse:
      return kLinearSparse;
    case LinearForm::kFloat32:
    case LinearForm::kCodes:  // not packed
      break;
  }
  return kLinearF32;
}

struct HeldWeights {
  PackedWeights packed;
  LinearChoice choice;
};

std::optional<HeldWeights> PackParts(const LinearParts& parts, bool transposed,
                                     const KernelSite& site) {
  const PackedWeights* there = site.packed;
  for (LinearForm form : PackedLinearForms(parts.k, site)) {
    if (there != nullptr &&
        PrecisionOf(form).fits(*there, parts.k, parts.n, site)) {
      return HeldWeights{*there, GivenLinear(form, site)};
    }
  }
  const bool plain = parts.weights[0]->has_elements();
  if (!plain && there == nullptr) return std::nullopt;
  std::optional<JoinedWeights> joined =
      plain ? Join(parts, transposed) : Unpack(parts, *there);
  if (!joined) return std::nullopt;
  const LinearChoice choice = ChooseLinear(joined->query(), site);
  auto packed = PrecisionOf(choice.form).pack(*joined, site, site.pool);
  if (!packed.ok()) return std::nullopt;
  return HeldWeights{std::move(packed).value(), choice};
}

// Null when it is empty.
const float* DataOf(const Tensor& vector) {
  return vector.size() == 0 ? nullptr : vector.data<float>();
}

// The rows of `y` [rows, n], which is normalized where it lies.
struct NormedRows {
  NormedRows(const LinearNorm& norm, float* y, int64_t n) : run(norm.run) {
    args.x = args.y = y;
    args.n = n;
    args.scale = norm.scale.data<float>();
    args.bias = DataOf(norm.shift);
    args.epsilon = norm.epsilon;
  }
  GemmRowsDone Done() const {
    if (run == nullptr) return {};
    return {[](const void* with, int64_t begin, int64_t end) {
              const auto& rows = *static_cast<const NormedRows*>(with);
              RowNormF32Args part = rows.args;
              part.x += begin * part.n;
              part.y += begin * part.n;
              part.rows = end - begin;
              rows.run(part);
            },
            this};
  }

  RowNormF32Fn run;
  RowNormF32Args args;
};

// Nothing when its scale or shift is not a constant.
std::optional<LinearNorm> NormOf(const FusedLinearNorm& op,
                                 const InferContext& ctx, Isa isa) {
  LinearNorm norm;
  norm.run = PickNormF32(isa).layer;
  norm.epsilon = op.epsilon;
  const Tensor* scale = ctx.constant(FusedLinearNorm::kScale);
  if (scale == nullptr) return std::nullopt;
  auto kept = KeepVector(*scale);
  if (!kept.ok()) return std::nullopt;
  norm.scale = std::move(kept).value();
  if (!ctx.has(FusedLinearNorm::kShift)) return norm;
  const Tensor* shift = ctx.constant(FusedLinearNorm::kShift);
  if (shift == nullptr) return std::nullopt;
  kept = KeepVector(*shift);
  if (!kept.ok()) return std::nullopt;
  norm.shift = std::move(kept).value();
  return norm;
}

NodeKernelPtr BindParts(const FusedLinear& op, const LinearParts& parts,
                        LinearNorm norm, const KernelSite& site) {
  auto bias = JoinBiases(parts, op.transB != 0);
  if (!bias.ok()) return nullptr;
  LinearKernel::Layer layer{
      ActivationOf(op), parts.k,
      parts.n,          std::move(bias).value(),
      std::move(norm),  GivenLinear(LinearForm::kCodes, site)};
  if (site.coded.weights != nullptr) {
    return MakeLinearCodes(std::move(layer), site.coded.weights, site);
  }
  auto held = PackParts(parts, op.transB != 0, site);
  if (!held) return nullptr;
  layer.choice = held->choice;
  return PrecisionOf(held->choice.form)
      .make(std::move(layer), std::move(held->packed), site);
}

}  // namespace

size_t LinearKernel::ScratchBytes(const EvalContext& ctx) const {
  const int64_t m = layer_.k > 0 ? ctx.in(0).size() / layer_.k : 0;
  const int64_t product = ResidualFits(ctx, layer_.n) ? 0 : m * layer_.n * 4;
  return static_cast<size_t>(RoundUp(product, 64) +
                             MultiplyScratchBytes(m, ctx.pool()->threads()));
}

GemmF32Args LinearKernel::MakeArgs(const EvalContext& ctx) const {
  GemmF32Args args;
  args.k = layer_.k;
  args.n = layer_.n;
  args.m = layer_.k > 0 ? ctx.in(0).size() / layer_.k : 0;
  args.a = ctx.in(0).data<float>();
  args.lda = layer_.k;
  args.ldc = layer_.n;
  args.bias_n = DataOf(layer_.bias);
  return args;
}

Status LinearKernel::Run(EvalContext& ctx) {
  GemmF32Args args = MakeArgs(ctx);
  Tensor& y = ctx.out(0);
  const NormedRows rows(layer_.norm, y.data<float>(), layer_.n);
  if (ResidualFits(ctx, layer_.n)) {
    args.c = y.data<float>();
    args.act = layer_.act;
    args.done = rows.Done();
    if (ctx.has(1)) {
      args.residual = ctx.in(1).data<float>();
      args.ldr = layer_.n;
    }
    return Multiply(args, ctx.scratch(), ctx.pool());
  }
  args.c = static_cast<float*>(ctx.scratch());
  STINT_RETURN_IF_ERROR(
      Multiply(args, args.c + RoundUp(args.m * args.n, 16), ctx.pool()));
  Shape dims = ctx.in(0).shape();
  dims.back() = layer_.n;
  AddResidual(Tensor::Borrow(DType::kFloat32, std::move(dims), args.c),
              ctx.in(1), layer_.act, &y);
  if (layer_.n > 0) {
    FinishGemmRows(rows.Done(), y.size() / layer_.n, layer_.n, ctx.pool());
  }
  return OkStatus();
}

NodeKernelPtr Bind(const FusedLinear& op, const InferContext& ctx,
                   const KernelSite& site) {
  if (!AllFloat32(ctx)) return nullptr;
  auto parts = LinearPartsOf(op, ctx, ctx.num_inputs());
  if (!parts) return nullptr;
  return BindParts(op, *parts, {}, site);
}

NodeKernelPtr Bind(const FusedLinearNorm& op, const InferContext& ctx,
                   const KernelSite& site) {
  if (!AllFloat32(ctx)) return nullptr;
  auto parts = LinearPartsOf(op, ctx, FusedLinearNorm::kScale);
  auto norm = NormOf(op, ctx, site.isa);
  if (!parts || !norm) return nullptr;
  return BindParts(op, *parts, std::move(*norm), site);
}

}  // namespace stint
