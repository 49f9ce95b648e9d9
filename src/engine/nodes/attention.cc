#include "engine/nodes/nodes.h"
#include "engine/reference/evaluate.h"
#include "kernels/attention_bf16/attention_bf16.h"
#include "kernels/attention_f32/attention_f32.h"

namespace stint {
namespace {

using View = AttentionF32View<const float>;

// Head h of row r of [batch, length, columns], its heads starting at column
// `first`.
View Rows(const Tensor& x, int64_t first, int64_t size) {
  return {x.data<float>() + first, x.dim(1) * x.dim(2), x.dim(2), size};
}

// Strides of a mask that broadcasts to [batch, heads, q length, k length].
// False when it does not have a number for each key.
bool ViewMask(const Tensor& mask, int64_t keys, View* view) {
  if (mask.rank() > 4) return false;
  Shape dims(static_cast<size_t>(4 - mask.rank()), 1);
  dims.insert(dims.end(), mask.shape().begin(), mask.shape().end());
  if (dims[3] != keys) return false;
  const int64_t rows = dims[2] * dims[3];
  *view = {mask.data<float>(), dims[0] == 1 ? 0 : dims[1] * rows,
           dims[2] == 1 ? 0 : dims[3], dims[1] == 1 ? 0 : rows};
  return true;
}

class AttentionKernel : public NodeKernel {
 public:
  AttentionKernel(const FusedAttention& op, const AttentionF32Kernel& kernel)
      : op_(op), kernel_(kernel), by_rows_(kernel.isa >= Isa::kBf16) {}

  size_t ScratchBytes(const EvalContext& ctx) const override {
    const AttentionF32Args args = ArgsOf(ctx);
    return static_cast<size_t>(
        AttentionF32ScratchBytes(kernel_, args, ctx.pool()->threads()));
  }

  Status Run(EvalContext& ctx) override {
    AttentionF32Args args = ArgsOf(ctx);
    if (ctx.has(FusedAttention::kMask) &&
        !ViewMask(ctx.in(FusedAttention::kMask), args.length_k, &args.mask)) {
      return Evaluate(op_, ctx);
    }
    Tensor& y = ctx.out(0);
    args.out = {y.data<float>(), y.dim(1) * y.dim(2), y.dim(2), args.head_size};
    args.scratch = static_cast<float*>(ctx.scratch());
    AttentionF32(kernel_, args, ctx.pool());
    return OkStatus();
  }

 private:
  AttentionF32Args ArgsOf(const EvalContext& ctx) const {
    const bool packed = !ctx.has(1);
    const Tensor& q = ctx.in(0);
    const Tensor& k = ctx.in(packed ? 0 : 1);
    const Tensor& v = ctx.in(packed ? 0 : 2);
    const int64_t hidden = packed ? q.dim(2) / 3 : q.dim(2);
    AttentionF32Args args;
    args.batch = q.dim(0);
    args.heads = op_.heads;
    args.length_q = q.dim(1);
    args.length_k = k.dim(1);
    args.head_size = hidden / op_.heads;
    args.scale = op_.scale;
    args.by_rows = by_rows_;
    args.q = Rows(q, 0, args.head_size);
    args.k = Rows(k, packed ? hidden : 0, args.head_size);
    args.v = Rows(v, packed ? 2 * hidden : 0, args.head_size);
    return args;
  }

  const FusedAttention op_;
  const AttentionF32Kernel& kernel_;
  const bool by_rows_;  // as products on tiles are split
};

// Queries, keys and values are as wide.
bool SameWidths(const InferContext& ctx) {
  if (!ctx.has(1)) return true;
  return ctx.Ranked({0, 1, 2}) && ctx.in(1).rank() == 3 &&
         ctx.in(2).rank() == 3 && ctx.in(0).dims[2] == ctx.in(1).dims[2] &&
         ctx.in(0).dims[2] == ctx.in(2).dims[2];
}

// The last dimension of the mask is one per key, as far as can be seen.
bool MaskFits(const InferContext& ctx) {
  if (!ctx.has(FusedAttention::kMask)) return true;
  if (!ctx.Ranked({FusedAttention::kMask})) return false;
  const Shape& mask = ctx.in(FusedAttention::kMask).dims;
  const Shape& keys = ctx.in(ctx.has(1) ? 1 : 0).dims;
  return mask.size() >= 1 && mask.size() <= 4 && mask.back() == keys[1];
}

// Products in int8 would need scales of every row of weights; those in bf16 are
// as fast beside the exponentials.
const AttentionF32Kernel& PickAttention(const FusedAttention& op,
                                        const InferContext& ctx,
                                        const KernelSite& site) {
  const AttentionF32Kernel* kernel = nullptr;
  if (site.precision != Precision::kFloat32) {
    const int64_t columns = ctx.in(0).dims[2];
    const int64_t hidden = ctx.has(1) ? columns : columns / 3;
    const int64_t keys = ctx.in(ctx.has(1) ? 1 : 0).dims[1];
    kernel = PickAttentionBf16(site.isa, hidden / op.heads, keys);
  }
  return kernel ? *kernel : PickAttentionF32(site.isa);
}

}  // namespace

NodeKernelPtr Bind(const FusedAttention& op, const InferContext& ctx,
                   const KernelSite& site) {
  if (!AllFloat32(ctx) || !ctx.Ranked({0}) || !SameWidths(ctx) ||
      !MaskFits(ctx)) {
    return nullptr;
  }
  return std::make_unique<AttentionKernel>(op, PickAttention(op, ctx, site));
}

}  // namespace stint
