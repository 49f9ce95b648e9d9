#include "engine/reference/sequence/sequence.h"

#include <algorithm>

#include "core/tensor/element_access.h"
#include "engine/reference/axis_lines.h"

namespace stint {
namespace {

// Input i as one that owns its memory.
Result<Value> Owned(const EvalContext& ctx, int i) {
  const Value& value = ctx.in_value(i);
  if (!value.is_tensor()) return value;
  STINT_ASSIGN_OR_RETURN(Tensor copy, value.tensor().Clone());
  return Value(std::move(copy));
}

// The position that input i gives in [0, count), or `fallback` without one.
Result<int64_t> PositionOf(const EvalContext& ctx, int i, int64_t count,
                           int64_t fallback) {
  const int64_t given = ctx.has(i) ? ScalarAs<int64_t>(ctx.in(i)) : fallback;
  const int64_t length =
      static_cast<int64_t>(ctx.in_value(0).elements().size());
  const int64_t position =
      given < 0 && given >= -length ? given + length : given;
  if (position < 0 || position >= count) {
    return InvalidArgument("position " + std::to_string(given) +
                           " in a sequence of " + std::to_string(length));
  }
  return position;
}

}  // namespace

Status Eval(const SequenceConstruct&, EvalContext& ctx) {
  std::vector<Value> elements;
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    STINT_ASSIGN_OR_RETURN(Value element, Owned(ctx, i));
    elements.push_back(std::move(element));
  }
  ctx.SetOutput(0, Value::Sequence(std::move(elements)));
  return OkStatus();
}

Status Eval(const SequenceEmpty&, EvalContext& ctx) {
  ctx.SetOutput(0, Value::Sequence({}));
  return OkStatus();
}

Status Eval(const SequenceInsert&, EvalContext& ctx) {
  std::vector<Value> elements = ctx.in_value(0).elements();
  const int64_t length = static_cast<int64_t>(elements.size());
  STINT_ASSIGN_OR_RETURN(const int64_t position,
                         PositionOf(ctx, 2, length + 1, length));
  STINT_ASSIGN_OR_RETURN(Value element, Owned(ctx, 1));
  elements.insert(elements.begin() + position, std::move(element));
  ctx.SetOutput(0, Value::Sequence(std::move(elements)));
  return OkStatus();
}

Status Eval(const SequenceErase&, EvalContext& ctx) {
  std::vector<Value> elements = ctx.in_value(0).elements();
  STINT_ASSIGN_OR_RETURN(
      const int64_t position,
      PositionOf(ctx, 1, static_cast<int64_t>(elements.size()), -1));
  elements.erase(elements.begin() + position);
  ctx.SetOutput(0, Value::Sequence(std::move(elements)));
  return OkStatus();
}

Status Eval(const SequenceAt&, EvalContext& ctx) {
  const std::vector<Value>& elements = ctx.in_value(0).elements();
  STINT_ASSIGN_OR_RETURN(
      const int64_t position,
      PositionOf(ctx, 1, static_cast<int64_t>(elements.size()), 0));
  ctx.SetOutput(0, elements[position]);
  return OkStatus();
}

Status Eval(const SequenceLength&, EvalContext& ctx) {
  STINT_RETURN_IF_ERROR(ctx.Allocate(0, DType::kInt64, {}));
  *ctx.out(0).data<int64_t>() =
      static_cast<int64_t>(ctx.in_value(0).elements().size());
  return OkStatus();
}

namespace {

// The sizes of the parts along an axis of `length` elements.
Result<std::vector<int64_t>> PartSizes(const Tensor* split, int64_t length) {
  if (split == nullptr) {
    return std::vector<int64_t>(static_cast<size_t>(length), 1);
  }
  if (split->rank() > 0) {
    const std::vector<int64_t> sizes = ElementsAs<int64_t>(*split);
    int64_t left = length;
    for (int64_t size : sizes) {
      if (size < 0 || size > left) left = -1;
      if (left >= 0) left -= size;
    }
    if (left == 0) return sizes;
    return InvalidArgument("split does not add up to " +
                           std::to_string(length));
  }
  const int64_t size = ScalarAs<int64_t>(*split);
  if (size < 1) return InvalidArgument("split " + std::to_string(size));
  std::vector<int64_t> sizes;
  for (int64_t begin = 0; begin < length; begin += sizes.back()) {
    sizes.push_back(std::min(size, length - begin));
  }
  return sizes;
}

Result<Tensor> PartOf(const Tensor& x, int64_t axis, int64_t begin,
                      int64_t size) {
  const AxisLines lines(x.shape(), axis);
  Shape shape = x.shape();
  shape[axis] = size;
  STINT_ASSIGN_OR_RETURN(Tensor part, Tensor::Allocate(x.dtype(), shape));
  VisitStorage(x.dtype(), [&]<typename T>() {
    T* out = part.data<T>();
    for (int64_t o = 0; o < lines.outer; ++o) {
      out = std::copy_n(x.data<T>() + (o * lines.length + begin) * lines.inner,
                        size * lines.inner, out);
    }
  });
  return part;
}

}  // namespace

Status Eval(const SplitToSequence& op, EvalContext& ctx) {
  const Tensor& x = ctx.in(0);
  STINT_ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(op.axis, x.rank()));
  STINT_ASSIGN_OR_RETURN(
      const auto sizes,
      PartSizes(ctx.has(1) ? &ctx.in(1) : nullptr, x.dim(axis)));
  std::vector<Value> parts;
  int64_t begin = 0;
  for (int64_t size : sizes) {
    STINT_ASSIGN_OR_RETURN(Tensor part, PartOf(x, axis, begin, size));
    if (!ctx.has(1) && !op.keepdims) {
      Shape shape = part.shape();
      shape.erase(shape.begin() + axis);
      part = part.Reshaped(std::move(shape));
    }
    parts.push_back(std::move(part));
    begin += size;
  }
  ctx.SetOutput(0, Value::Sequence(std::move(parts)));
  return OkStatus();
}

namespace {

// Tensors that agree in type and in every dimension but `axis`.
Status CheckParts(const std::vector<Tensor>& parts, int64_t axis) {
  for (const Tensor& part : parts) {
    bool fits =
        part.dtype() == parts[0].dtype() && part.rank() == parts[0].rank();
    for (int64_t d = 0; fits && d < part.rank(); ++d) {
      fits = d == axis || part.dim(d) == parts[0].dim(d);
    }
    if (!fits) {
      return InvalidArgument("elements " + ToString(parts[0].shape()) +
                             " and " + ToString(part.shape()) + " do not join");
    }
  }
  return OkStatus();
}

}  // namespace

Status Eval(const ConcatFromSequence& op, EvalContext& ctx) {
  std::vector<Tensor> parts;
  for (const Value& element : ctx.in_value(0).elements()) {
    if (!element.is_tensor()) return InvalidArgument("not a tensor");
    parts.push_back(element.tensor());
  }
  if (parts.empty()) return InvalidArgument("the sequence is empty");
  STINT_ASSIGN_OR_RETURN(
      const int64_t axis,
      NormalizeAxis(op.axis, parts[0].rank() + (op.new_axis ? 1 : 0)));
  int64_t length = 0;
  for (Tensor& part : parts) {
    if (op.new_axis) {
      Shape shape = part.shape();
      if (axis > part.rank()) return InvalidArgument("elements differ in rank");
      shape.insert(shape.begin() + axis, 1);
      part = part.Reshaped(std::move(shape));
    }
  }
  STINT_RETURN_IF_ERROR(CheckParts(parts, axis));
  for (const Tensor& part : parts) length += part.dim(axis);
  Shape shape = parts[0].shape();
  shape[axis] = length;
  STINT_RETURN_IF_ERROR(ctx.Allocate(0, parts[0].dtype(), shape));
  const AxisLines lines(shape, axis);
  VisitStorage(parts[0].dtype(), [&]<typename T>() {
    T* out = ctx.out(0).data<T>();
    for (int64_t o = 0; o < lines.outer; ++o) {
      for (const Tensor& part : parts) {
        const int64_t run = part.dim(axis) * lines.inner;
        out = std::copy_n(part.data<T>() + o * run, run, out);
      }
    }
  });
  return OkStatus();
}

Status Eval(const MakeOptional&, EvalContext& ctx) {
  std::shared_ptr<const Value> element;
  if (ctx.has(0)) {
    STINT_ASSIGN_OR_RETURN(Value owned, Owned(ctx, 0));
    element = std::make_shared<const Value>(std::move(owned));
  }
  ctx.SetOutput(0, Value::Optional(std::move(element)));
  return OkStatus();
}

Status Eval(const OptionalHasElement&, EvalContext& ctx) {
  STINT_RETURN_IF_ERROR(ctx.Allocate(0, DType::kBool, {}));
  *ctx.out(0).data<bool>() =
      ctx.has(0) && (ctx.in_value(0).kind() != Value::Kind::kOptional ||
                     ctx.in_value(0).has_element());
  return OkStatus();
}

Status Eval(const OptionalGetElement&, EvalContext& ctx) {
  const Value& input = ctx.in_value(0);
  const bool optional = input.kind() == Value::Kind::kOptional;
  if (optional && !input.has_element()) {
    return InvalidArgument("the optional is empty");
  }
  const Value& element = optional ? input.elements()[0] : input;
  if (!element.is_tensor()) {
    ctx.SetOutput(0, element);
    return OkStatus();
  }
  const Tensor& tensor = element.tensor();
  STINT_RETURN_IF_ERROR(ctx.Allocate(0, tensor.dtype(), tensor.shape()));
  VisitStorage(tensor.dtype(), [&]<typename T>() {
    std::copy_n(tensor.data<T>(), tensor.size(), ctx.out(0).data<T>());
  });
  return OkStatus();
}

}  // namespace stint
