#include "convert/onnx/adapters.h"

namespace stint::onnx {
namespace {

// Before opset 13 these saw the input as a matrix cut at `axis`.
Status SoftmaxBefore13(NodeImport& n) {
  const int64_t axis = n.Int("axis", 1);
  Op op = FindOp(n.proto().op_type)->Make();
  STINT_RETURN_IF_ERROR(n.CheckAllAttributesRead());
  const ValueType& type = n.graph()->value(n.in(0)).type;
  if (type.ranked && axis >= 0 && axis == type.rank() - 1) {
    n.EmitLast(std::move(op), n.inputs);
    return OkStatus();
  }
  const ValueId shape = n.Emit(Shape_{}, {n.in(0)});
  const ValueId matrix = n.Emit(Flatten{axis}, {n.in(0)});
  const ValueId result = n.Emit(std::move(op), {matrix});
  n.EmitLast(Reshape{}, {result, shape});
  return OkStatus();
}

// Inference only: statistics are inputs. `spatial` = 0 (one statistic per
// element) was dropped in opset 9.
Status BatchNormalizationBefore14(NodeImport& n) {
  if (n.Int("spatial", 1) == 0) return Unsupported("spatial = 0");
  n.Int("is_test", 1);
  for (size_t i = 1; i < n.outputs.size(); ++i) {
    if (n.outputs[i].valid()) {
      return Unsupported("training outputs of version " +
                         std::to_string(n.version()));
    }
  }
  n.outputs.resize(1);
  return n.EmitDefault(BatchNormalization{});
}

// Dropout does nothing at inference; the mask is all true.
Status DropoutAny(NodeImport& n) {
  n.Float("ratio", 0.5f);
  n.Int("seed", 0);
  n.Int("is_test", 1);
  const Tensor* training = n.ConstantInput(2);
  const Tensor* ratio = n.ConstantInput(1);
  const bool may_train =
      n.in(2).valid() &&
      (training == nullptr || training->size() != 1 || *training->data<bool>());
  const bool drops_nothing = ratio != nullptr && ratio->size() == 1 &&
                             ratio->dtype() == DType::kFloat32 &&
                             *ratio->data<float>() == 0.0f;
  if (may_train && !drops_nothing) {
    return Unsupported("training mode");
  }
  STINT_RETURN_IF_ERROR(n.CheckAllAttributesRead());
  n.Forward(n.in(0));
  if (n.outputs.size() > 1 && n.outputs[1].valid()) {
    const ValueId shape = n.Emit(Shape_{}, {n.in(0)});
    n.Forward(n.Emit(ConstantOfShape{Tensor::Vector<bool>({true})}, {shape}),
              1);
  }
  return OkStatus();
}

// C was broadcast only on request; shapes say the same.
Status GemmBefore7(NodeImport& n) {
  n.Int("broadcast", 0);
  return n.EmitDefault(Gemm{});
}

Status LpPoolVersion1(NodeImport& n) {
  const float p = n.Float("p", 2.0f);
  if (n.proto().op_type == "GlobalLpPool") {
    n.EmitLast(GlobalLpPool{static_cast<int64_t>(p)}, n.inputs);
    return OkStatus();
  }
  return Unsupported("version 1");
}

// Scale and bias were given per group until opset 21.
Status GroupNormalizationVersion18(NodeImport& n) {
  const int64_t groups = n.Int("num_groups", 1);
  // A copy: new values may move the graph's.
  const ValueType type = n.graph()->value(n.in(0)).type;
  if (!type.ranked || type.rank() < 2 || !IsKnown(type.dims[1]) || groups < 1 ||
      type.dims[1] % groups != 0) {
    return Unsupported("channels that are not known");
  }
  const int64_t per_group = type.dims[1] / groups;
  const auto spread = [&](ValueId v) {
    const ValueId column = n.Emit(Reshape{}, {v, n.ConstantInts({groups, 1})});
    const ValueId grid =
        n.Emit(Expand{}, {column, n.ConstantInts({groups, per_group})});
    return n.Emit(Reshape{}, {grid, n.ConstantInts({type.dims[1]})});
  };
  const ValueId scale = spread(n.in(1));
  const ValueId bias = spread(n.in(2));
  n.inputs = {n.in(0), scale, bias};
  return n.EmitDefault(GroupNormalization{});
}

// com.microsoft: LayerNorm(x + skip [+ bias]); output 3 is the sum.
Status SkipLayerNormalization(NodeImport& n) {
  LayerNormalization op;
  op.epsilon = n.Float("epsilon", 1e-12f);
  STINT_RETURN_IF_ERROR(n.CheckAllAttributesRead());
  ValueId sum = n.Emit(Binary{BinaryKind::kAdd}, {n.in(0), n.in(1)});
  if (n.in(4).valid()) {
    sum = n.Emit(Binary{BinaryKind::kAdd}, {sum, n.in(4)});
  }
  n.Forward(sum, 3);
  n.outputs.resize(1);
  n.EmitLast(op, {sum, n.in(2), n.in(3)});
  return OkStatus();
}

// com.microsoft and the ONNX Runtime form in the default domain agree.
Status FusedConv(NodeImport& n) {
  const std::string activation = n.String("activation", "");
  const std::vector<float> parameters = n.Floats("activation_params");
  if (n.in(3).valid()) return Unsupported("a residual input");
  Op op = Conv{};
  STINT_RETURN_IF_ERROR(n.FillFields(&op));
  STINT_RETURN_IF_ERROR(n.CheckAllAttributesRead());
  const ValueId y = n.Emit(std::move(op), n.inputs);
  if (activation == "Relu" || activation == "Sigmoid" || activation == "Tanh") {
    n.EmitLast(FindOp(activation)->Make(), {y});
  } else if (activation == "LeakyRelu" && parameters.size() == 1) {
    n.EmitLast(LeakyRelu{parameters[0]}, {y});
  } else if (activation == "Clip" && parameters.size() == 2) {
    n.EmitLast(Clip{}, {y, n.Constant(Tensor::Scalar(parameters[0])),
                        n.Constant(Tensor::Scalar(parameters[1]))});
  } else {
    return Unsupported("activation '" + activation + "'");
  }
  return OkStatus();
}

Status FusedMatMul(NodeImport& n) {
  const float alpha = n.Float("alpha", 1.0f);
  if (n.Int("transBatchA", 0) != 0 || n.Int("transBatchB", 0) != 0) {
    return Unsupported("transposed batches");
  }
  const bool flips[2] = {n.Int("transA", 0) != 0, n.Int("transB", 0) != 0};
  STINT_RETURN_IF_ERROR(n.CheckAllAttributesRead());
  std::vector<ValueId> operands = {n.in(0), n.in(1)};
  for (size_t i = 0; i < 2; ++i) {
    if (!flips[i]) continue;
    const ValueType& type = n.graph()->value(operands[i]).type;
    if (!type.ranked || type.rank() < 2) {
      return Unsupported("a transposed operand of unknown rank");
    }
    Transpose swap;
    for (int64_t d = 0; d < type.rank(); ++d) swap.perm.push_back(d);
    std::swap(swap.perm[type.rank() - 1], swap.perm[type.rank() - 2]);
    operands[i] = n.Emit(swap, {operands[i]});
  }
  const ValueId product = n.Emit(MatMul{}, operands);
  n.EmitLast(Binary{BinaryKind::kMul},
             {product, n.Constant(Tensor::Scalar(alpha))});
  return OkStatus();
}

constexpr AdapterRow kRows[] = {
    {"", "Softmax", 1, 11, SoftmaxBefore13},
    {"", "LogSoftmax", 1, 11, SoftmaxBefore13},
    {"", "Hardmax", 1, 11, SoftmaxBefore13},
    {"", "BatchNormalization", 1, 9, BatchNormalizationBefore14},
    {"", "Dropout", 1, kAnyVersion, DropoutAny},
    {"", "Gemm", 1, 6, GemmBefore7},
    {"", "GlobalLpPool", 1, 1, LpPoolVersion1},
    {"", "LpPool", 1, 1, LpPoolVersion1},
    {"", "GroupNormalization", 18, 18, GroupNormalizationVersion18},
    {"com.microsoft", "SkipLayerNormalization", 0, kAnyVersion,
     SkipLayerNormalization},
    {"com.microsoft", "FusedConv", 0, kAnyVersion, FusedConv},
    {"com.microsoft", "FusedMatMul", 0, kAnyVersion, FusedMatMul},
};

}  // namespace

std::span<const AdapterRow> NeuralAdapters() { return kRows; }

}  // namespace stint::onnx
