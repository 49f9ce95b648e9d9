#include "model/ops/sequence/sequence.h"

#include "model/ops/input_checks.h"

namespace stint {
namespace {

// Input 0 is a sequence. The elements of an empty one have no type.
Status ExpectSequence(const InferContext& ctx) {
  if (ctx.num_outputs() < 1) return InvalidArgument("no output");
  if (!ctx.has(0) || ctx.in(0).kind != Value::Kind::kSequence) {
    return InvalidArgument("input 0 is not a sequence");
  }
  return OkStatus();
}

Status ExpectTensor(const InferContext& ctx, int i) {
  if (ctx.has(i) && ctx.in(i).is_tensor()) return OkStatus();
  return InvalidArgument("input " + std::to_string(i) + " is not a tensor");
}

// Input i is absent or one integer.
Status ExpectPosition(const InferContext& ctx, int i) {
  if (!ctx.has(i)) return OkStatus();
  STINT_RETURN_IF_ERROR(ExpectTensor(ctx, i));
  if (!IsInteger(ctx.in(i).dtype)) {
    return InvalidArgument("the position is not an integer");
  }
  return ExpectOneElement(ctx, i);
}

// A tensor whose shape only the run knows.
void SetElementType(InferContext& ctx) {
  if (ctx.in(0).typed) ctx.SetOutputDType(0, ctx.in(0).dtype);
}

}  // namespace

Status Infer(const SequenceConstruct&, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(ExpectInputs(ctx, {Accepts::kAny}));
  for (int i = 1; i < ctx.num_inputs(); ++i) {
    STINT_RETURN_IF_ERROR(ExpectTensor(ctx, i));
    if (ctx.in(i).dtype != ctx.in(0).dtype) {
      return InvalidArgument("elements differ in type");
    }
  }
  ctx.SetOutput(0, ValueType::SequenceOf(ctx.in(0).dtype));
  return OkStatus();
}

Status Infer(const SequenceEmpty& op, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(ExpectInputs(ctx, {}));
  ctx.SetOutput(0, ValueType::SequenceOf(op.dtype));
  return OkStatus();
}

Status Infer(const SequenceInsert&, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(ExpectSequence(ctx));
  STINT_RETURN_IF_ERROR(ExpectTensor(ctx, 1));
  STINT_RETURN_IF_ERROR(ExpectPosition(ctx, 2));
  if (ctx.in(0).typed && ctx.in(0).dtype != ctx.in(1).dtype) {
    return InvalidArgument("the tensor is not of the sequence's type");
  }
  ctx.SetOutput(0, ValueType::SequenceOf(ctx.in(1).dtype));
  return OkStatus();
}

Status Infer(const SequenceErase&, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(ExpectSequence(ctx));
  STINT_RETURN_IF_ERROR(ExpectPosition(ctx, 1));
  if (ctx.in(0).typed) ctx.SetOutput(0, ctx.in(0));
  return OkStatus();
}

Status Infer(const SequenceAt&, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(ExpectSequence(ctx));
  STINT_RETURN_IF_ERROR(ExpectTensor(ctx, 1));
  STINT_RETURN_IF_ERROR(ExpectPosition(ctx, 1));
  SetElementType(ctx);
  return OkStatus();
}

Status Infer(const SequenceLength&, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(ExpectSequence(ctx));
  ctx.SetOutput(0, DType::kInt64, {});
  return OkStatus();
}

Status Infer(const SplitToSequence& op, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(
      ExpectInputs(ctx, {Accepts::kAny}, {Accepts::kInteger}));
  if (ctx.Ranked({0})) {
    STINT_RETURN_IF_ERROR(NormalizeAxis(op.axis, ctx.in(0).rank()).status());
  }
  if (ctx.Ranked({1}) && ctx.in(1).rank() > 1) {
    return InvalidArgument("split " + ToString(ctx.in(1).dims));
  }
  ctx.SetOutput(0, ValueType::SequenceOf(ctx.in(0).dtype));
  return OkStatus();
}

Status Infer(const ConcatFromSequence&, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(ExpectSequence(ctx));
  SetElementType(ctx);
  return OkStatus();
}

Status Infer(const MakeOptional&, InferContext& ctx) {
  if (ctx.num_outputs() < 1) return InvalidArgument("no output");
  if (!ctx.has(0)) return OkStatus();
  if (ctx.in(0).kind == Value::Kind::kOptional) {
    return InvalidArgument("input 0 is an optional already");
  }
  ValueType type = ctx.in(0);
  type.kind = Value::Kind::kOptional;
  type.optional_sequence = ctx.in(0).kind == Value::Kind::kSequence;
  ctx.SetOutput(0, std::move(type));
  return OkStatus();
}

Status Infer(const OptionalHasElement&, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(ExpectInputs(ctx, {}));
  ctx.SetOutput(0, DType::kBool, {});
  return OkStatus();
}

Status Infer(const OptionalGetElement&, InferContext& ctx) {
  if (ctx.num_outputs() < 1) return InvalidArgument("no output");
  if (!ctx.has(0)) return InvalidArgument("input 0 is missing");
  ValueType type = ctx.in(0);
  if (type.kind == Value::Kind::kOptional) {
    type.kind =
        type.optional_sequence ? Value::Kind::kSequence : Value::Kind::kTensor;
    type.optional_sequence = false;
  }
  ctx.SetOutput(0, std::move(type));
  return OkStatus();
}

}  // namespace stint
