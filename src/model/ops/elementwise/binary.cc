#include "model/ops/elementwise/binary.h"

namespace stint {
namespace {

constexpr BinaryName kBinaryNames[] = {
    {BinaryKind::kAdd, "Add"},
    {BinaryKind::kAnd, "And"},
    {BinaryKind::kBitwiseAnd, "BitwiseAnd"},
    {BinaryKind::kBitwiseOr, "BitwiseOr"},
    {BinaryKind::kBitwiseXor, "BitwiseXor"},
    {BinaryKind::kDiv, "Div"},
    {BinaryKind::kEqual, "Equal"},
    {BinaryKind::kGreater, "Greater"},
    {BinaryKind::kGreaterOrEqual, "GreaterOrEqual"},
    {BinaryKind::kLess, "Less"},
    {BinaryKind::kLessOrEqual, "LessOrEqual"},
    {BinaryKind::kMul, "Mul"},
    {BinaryKind::kOr, "Or"},
    {BinaryKind::kPow, "Pow"},
    {BinaryKind::kPRelu, "PRelu"},
    {BinaryKind::kSub, "Sub"},
    {BinaryKind::kXor, "Xor"},
};

constexpr VariadicName kVariadicNames[] = {
    {VariadicKind::kMax, "Max"},
    {VariadicKind::kMean, "Mean"},
    {VariadicKind::kMin, "Min"},
    {VariadicKind::kSum, "Sum"},
};

// Broadcasts inputs [first, n) and gives the output `dtype`.
Status InferBroadcast(int first, DType dtype, InferContext& ctx) {
  Shape dims;
  for (int i = first; i < ctx.num_inputs(); ++i) {
    if (!ctx.Ranked({i})) {
      ctx.SetOutputDType(0, dtype);
      return OkStatus();
    }
    STINT_ASSIGN_OR_RETURN(dims, BroadcastShapes(dims, ctx.in(i).dims));
  }
  ctx.SetOutput(0, dtype, std::move(dims));
  return OkStatus();
}

Status SameDTypes(const InferContext& ctx, int a, int b) {
  if (ctx.in(a).typed && ctx.in(b).typed &&
      ctx.in(a).dtype != ctx.in(b).dtype) {
    return InvalidArgument("input " + std::to_string(b) + " is " +
                           std::string(DTypeName(ctx.in(b).dtype)) +
                           ", expected " +
                           std::string(DTypeName(ctx.in(a).dtype)) +
                           " as input " + std::to_string(a));
  }
  return OkStatus();
}

}  // namespace

std::span<const BinaryName> KindNames(const Binary*) { return kBinaryNames; }
std::span<const VariadicName> KindNames(const Variadic*) {
  return kVariadicNames;
}

bool IsPredicate(BinaryKind kind) {
  switch (kind) {
    case BinaryKind::kAnd:
    case BinaryKind::kEqual:
    case BinaryKind::kGreater:
    case BinaryKind::kGreaterOrEqual:
    case BinaryKind::kLess:
    case BinaryKind::kLessOrEqual:
    case BinaryKind::kOr:
    case BinaryKind::kXor:
      return true;
    case BinaryKind::kAdd:
    case BinaryKind::kBitwiseAnd:
    case BinaryKind::kBitwiseOr:
    case BinaryKind::kBitwiseXor:
    case BinaryKind::kDiv:
    case BinaryKind::kMul:
    case BinaryKind::kPow:
    case BinaryKind::kPRelu:
    case BinaryKind::kSub:
      return false;
  }
  return false;
}

Status Infer(const Binary& op, InferContext& ctx) {
  if (op.kind != BinaryKind::kPow) {
    STINT_RETURN_IF_ERROR(SameDTypes(ctx, 0, 1));
  }
  return InferBroadcast(
      0, IsPredicate(op.kind) ? DType::kBool : ctx.in(0).dtype, ctx);
}

Status Infer(const Mod&, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(SameDTypes(ctx, 0, 1));
  return InferBroadcast(0, ctx.in(0).dtype, ctx);
}

Status Infer(const BitShift& op, InferContext& ctx) {
  if (op.direction != "LEFT" && op.direction != "RIGHT") {
    return InvalidArgument("direction is '" + op.direction +
                           "', expected LEFT or RIGHT");
  }
  return InferBroadcast(0, ctx.in(0).dtype, ctx);
}

Status Infer(const Variadic&, InferContext& ctx) {
  for (int i = 1; i < ctx.num_inputs(); ++i) {
    STINT_RETURN_IF_ERROR(SameDTypes(ctx, 0, i));
  }
  return InferBroadcast(0, ctx.in(0).dtype, ctx);
}

Status Infer(const Where&, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(SameDTypes(ctx, 1, 2));
  return InferBroadcast(0, ctx.in(1).dtype, ctx);
}

}  // namespace stint
