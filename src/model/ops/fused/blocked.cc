#include "model/ops/fused/blocked.h"

#include "core/base/checked_math.h"

namespace stint {
namespace {

Status ExpectRank(const InferContext& ctx, int i, int64_t rank) {
  if (!ctx.Ranked({i}) || ctx.in(i).rank() == rank) return OkStatus();
  return InvalidArgument("input " + std::to_string(i) + " is " +
                         ToString(ctx.in(i).dims) + ", expected rank " +
                         std::to_string(rank));
}

// The context of the plain op: blocked inputs as if they were not.
struct PlainContext {
  PlainContext(const InferContext& ctx, int num_outputs)
      : types(static_cast<size_t>(ctx.num_inputs())) {
    std::vector<InferContext::Input> inputs;
    for (int i = 0; i < ctx.num_inputs(); ++i) {
      if (!ctx.has(i)) {
        inputs.push_back({});
        continue;
      }
      types[i] = ctx.in(i);
      if (ctx.Ranked({i}) && types[i].rank() == 5) {
        types[i].dims = PlainDims(types[i].dims);
        if (types[i].dtype == DType::kBFloat16) {
          types[i].dtype = DType::kFloat32;
        }
      }
      inputs.push_back({&types[i], ctx.constant(i)});
    }
    plain.emplace(std::move(inputs), num_outputs);
  }
  std::vector<ValueType> types;
  std::optional<InferContext> plain;
};

template <typename Pool>
Status InferPool(const Pool& op, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(ExpectRank(ctx, 0, 5));
  PlainContext inner(ctx, 1);
  STINT_RETURN_IF_ERROR(Infer(op, *inner.plain));
  const ValueType& out = inner.plain->outputs()[0];
  const DType dtype = ctx.in(0).dtype;  // narrow images stay so
  if (!ctx.Ranked({0}) || !out.ranked) {
    ctx.SetOutputDType(0, dtype);
  } else {
    ctx.SetOutput(0, dtype, BlockedDims(out.dims, ctx.in(0).dims[4]));
  }
  return OkStatus();
}

Status CheckGate(const InferContext& ctx) {
  STINT_RETURN_IF_ERROR(ExpectRank(ctx, 4, 5));
  if (!ctx.Ranked({0, 4})) return OkStatus();
  const Shape& x = ctx.in(0).dims;
  const Shape& gate = ctx.in(4).dims;
  if (x.size() == 5 && gate == Shape{x[0], x[1], 1, 1, x[4]}) return OkStatus();
  return InvalidArgument("input 4 is " + ToString(gate) +
                         ", expected one pixel of input 0 " + ToString(x));
}

}  // namespace

Shape BlockedDims(const Shape& plain, int64_t block) {
  const int64_t blocks =
      IsKnown(plain[1]) ? CeilDiv(plain[1], block) : kUnknownDim;
  return {plain[0], blocks, plain[2], plain[3], block};
}

Shape PlainDims(const Shape& blocked) {
  const bool known = IsKnown(blocked[1]) && IsKnown(blocked[4]);
  return {blocked[0], known ? blocked[1] * blocked[4] : kUnknownDim, blocked[2],
          blocked[3]};
}

Status Infer(const ToBlocked& op, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(ExpectRank(ctx, 0, 4));
  if (op.block < 1) return InvalidArgument("block must be positive");
  ctx.SetOutputDType(0, DType::kFloat32);
  if (ctx.Ranked({0})) {
    ctx.SetOutput(0, DType::kFloat32, BlockedDims(ctx.in(0).dims, op.block));
  }
  return OkStatus();
}

Status Infer(const FromBlocked& op, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(ExpectRank(ctx, 0, 5));
  ctx.SetOutputDType(0, DType::kFloat32);
  if (!ctx.Ranked({0})) return OkStatus();
  Shape dims = PlainDims(ctx.in(0).dims);
  if (op.channels < 0 || (IsKnown(dims[1]) && op.channels > dims[1])) {
    return InvalidArgument("has " + std::to_string(dims[1]) +
                           " channels, expected " +
                           std::to_string(op.channels));
  }
  dims[1] = op.channels;
  ctx.SetOutput(0, DType::kFloat32, std::move(dims));
  return OkStatus();
}

Status Infer(const BlockedConv& op, InferContext& ctx) {
  if (op.block < 1) return InvalidArgument("block must be positive");
  PlainContext inner(ctx, 1);
  const InferContext& outer = ctx;
  // The weights say how many channels there really are.
  if (outer.Ranked({0, 1}) && outer.in(0).rank() == 5 &&
      outer.in(1).rank() == 4) {
    inner.types[0].dims[1] = outer.in(1).dims[1] * op.group;
  }
  STINT_RETURN_IF_ERROR(Infer(static_cast<const FusedConv&>(op), *inner.plain));
  if (ctx.has(4)) STINT_RETURN_IF_ERROR(CheckGate(ctx));
  const ValueType& out = inner.plain->outputs()[0];
  const DType dtype = op.narrow ? DType::kBFloat16 : DType::kFloat32;
  const int64_t block = op.narrow ? BlockedConv::kNarrowBlock : op.block;
  ctx.SetOutputDType(0, dtype);
  if (out.ranked && out.rank() == 4) {
    ctx.SetOutput(0, dtype, BlockedDims(out.dims, block));
  }
  return OkStatus();
}

Status Infer(const BlockedMaxPool& op, InferContext& ctx) {
  return InferPool(static_cast<const MaxPool&>(op), ctx);
}

Status Infer(const BlockedAveragePool& op, InferContext& ctx) {
  return InferPool(static_cast<const AveragePool&>(op), ctx);
}

Status Infer(const BlockedGlobalAverage&, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(ExpectRank(ctx, 0, 5));
  ctx.SetOutputDType(0, DType::kFloat32);
  if (!ctx.Ranked({0})) return OkStatus();
  Shape dims = ctx.in(0).dims;
  dims[2] = dims[3] = 1;
  ctx.SetOutput(0, DType::kFloat32, std::move(dims));
  return OkStatus();
}

int64_t Macs(const BlockedConv& op, const InferContext& ctx) {
  PlainContext inner(ctx, 1);
  if (ctx.Ranked({0, 1}) && ctx.in(0).rank() == 5) {
    inner.types[0].dims[1] = ctx.in(1).dims[1] * op.group;
  }
  if (!Infer(static_cast<const FusedConv&>(op), *inner.plain).ok()) return 0;
  return Macs(static_cast<const Conv&>(op), *inner.plain);
}

}  // namespace stint
