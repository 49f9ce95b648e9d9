#include <numeric>

#include "convert/onnx/adapters.h"
#include "convert/onnx/element_type.h"

namespace stint::onnx {
namespace {

// Before opset 7 the second operand was broadcast only on request, aligned at
// `axis` of the first.
Status LegacyBroadcast(NodeImport& n) {
  const OpEntry* entry = FindOp(n.proto().op_type);
  const bool broadcast = n.Int("broadcast", 0) != 0;
  const bool has_axis = n.Has("axis");
  const int64_t axis = n.Int("axis", 0);
  if (broadcast && has_axis) {
    const ValueType& a = n.graph()->value(n.in(0)).type;
    const ValueType& b = n.graph()->value(n.in(1)).type;
    if (!a.ranked || !b.ranked) {
      return Unsupported("broadcast along axis " + std::to_string(axis) +
                         " of operands of unknown rank");
    }
    STINT_ASSIGN_OR_RETURN(const int64_t first, NormalizeAxis(axis, a.rank()));
    const int64_t missing = a.rank() - first - b.rank();
    if (missing < 0) {
      return InvalidArgument("operand of rank " + std::to_string(b.rank()) +
                             " does not fit at axis " + std::to_string(axis));
    }
    std::vector<int64_t> axes(static_cast<size_t>(missing));
    std::iota(axes.begin(), axes.end(), b.rank());
    if (!axes.empty()) {
      n.inputs[1] = n.Emit(Unsqueeze{}, {n.in(1), n.ConstantInts(axes)});
    }
  }
  return n.EmitDefault(entry->Make());
}

// Slopes were given per channel.
Status PReluBefore7(NodeImport& n) {
  const ValueType& x = n.graph()->value(n.in(0)).type;
  const ValueType& slope = n.graph()->value(n.in(1)).type;
  if (!x.ranked || !slope.ranked) return Unsupported("unknown ranks");
  if (slope.rank() == 1 && slope.dims[0] != 1 && x.rank() > 2) {
    std::vector<int64_t> axes(static_cast<size_t>(x.rank()) - 2);
    std::iota(axes.begin(), axes.end(), 1);
    n.inputs[1] = n.Emit(Unsqueeze{}, {n.in(1), n.ConstantInts(axes)});
  }
  return n.EmitDefault(Binary{BinaryKind::kPRelu});
}

// min and max were attributes.
Status ClipBefore11(NodeImport& n) {
  if (n.Has("min")) {
    n.SetInput(1, n.Constant(Tensor::Scalar(n.Float("min", 0))));
  }
  if (n.Has("max")) {
    n.SetInput(2, n.Constant(Tensor::Scalar(n.Float("max", 0))));
  }
  return n.EmitDefault(Clip{});
}

// `to` was the name of a type.
Status CastVersion1(NodeImport& n) {
  static constexpr std::pair<std::string_view, DType> kNames[] = {
      {"FLOAT", DType::kFloat32},   {"DOUBLE", DType::kFloat64},
      {"FLOAT16", DType::kFloat16}, {"INT8", DType::kInt8},
      {"INT16", DType::kInt16},     {"INT32", DType::kInt32},
      {"INT64", DType::kInt64},     {"UINT8", DType::kUInt8},
      {"UINT16", DType::kUInt16},   {"UINT32", DType::kUInt32},
      {"UINT64", DType::kUInt64},   {"BOOL", DType::kBool},
      {"STRING", DType::kString}};
  const std::string to = n.String("to", "");
  for (const auto& [name, dtype] : kNames) {
    if (name == to) {
      n.EmitLast(Cast{dtype}, n.inputs);
      return OkStatus();
    }
  }
  return Damaged("attribute 'to' is '" + to + "'");
}

Status SeluVersion1(NodeImport& n) {
  Selu op;
  op.alpha = 1.6732f;
  op.gamma = 1.0507f;
  return n.EmitDefault(op);
}

// com.microsoft: x + bias, then GELU.
Status BiasGelu(NodeImport& n) {
  const ValueId sum = n.Emit(Binary{BinaryKind::kAdd}, {n.in(0), n.in(1)});
  n.EmitLast(Gelu{}, {sum});
  return OkStatus();
}

Status FastGelu(NodeImport& n) {
  ValueId x = n.in(0);
  if (n.in(1).valid()) x = n.Emit(Binary{BinaryKind::kAdd}, {x, n.in(1)});
  n.EmitLast(Gelu{"tanh"}, {x});
  return OkStatus();
}

Status MicrosoftGelu(NodeImport& n) { return n.EmitDefault(Gelu{}); }

Status QuickGelu(NodeImport& n) {
  n.EmitLast(Swish{n.Float("alpha", 1.702f)}, n.inputs);
  return OkStatus();
}

constexpr AdapterRow kRows[] = {
    {"", "Add", 1, 6, LegacyBroadcast},
    {"", "Sub", 1, 6, LegacyBroadcast},
    {"", "Mul", 1, 6, LegacyBroadcast},
    {"", "Div", 1, 6, LegacyBroadcast},
    {"", "Pow", 1, 6, LegacyBroadcast},
    {"", "And", 1, 6, LegacyBroadcast},
    {"", "Or", 1, 6, LegacyBroadcast},
    {"", "Xor", 1, 6, LegacyBroadcast},
    {"", "Equal", 1, 6, LegacyBroadcast},
    {"", "Less", 1, 6, LegacyBroadcast},
    {"", "Greater", 1, 6, LegacyBroadcast},
    {"", "PRelu", 1, 6, PReluBefore7},
    {"", "Clip", 1, 6, ClipBefore11},
    {"", "Cast", 1, 1, CastVersion1},
    {"", "Selu", 1, 1, SeluVersion1},
    {"com.microsoft", "BiasGelu", 0, kAnyVersion, BiasGelu},
    {"com.microsoft", "FastGelu", 0, kAnyVersion, FastGelu},
    {"com.microsoft", "Gelu", 0, kAnyVersion, MicrosoftGelu},
    {"com.microsoft", "QuickGelu", 0, kAnyVersion, QuickGelu},
};

}  // namespace

std::span<const AdapterRow> ElementwiseAdapters() { return kRows; }

}  // namespace stint::onnx
