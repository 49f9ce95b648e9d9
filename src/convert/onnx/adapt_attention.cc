#include <limits>

#include "convert/onnx/adapters.h"

namespace stint::onnx {
namespace {

constexpr int64_t kToEnd = std::numeric_limits<int64_t>::max();

// A scale of 0 is our way to say that there is none.
Status AttentionAny(NodeImport& n) {
  if (n.Has("scale") && n.Float("scale", 0) == 0) {
    return Unsupported("scale = 0");
  }
  return n.EmitDefault(Attention{});
}

// swish(a) * b.
Status SwiGLU(NodeImport& n) {
  STINT_RETURN_IF_ERROR(n.RequireInputs(2));
  const Swish swish{n.Float("alpha", 1.0f)};
  STINT_RETURN_IF_ERROR(n.CheckAllAttributesRead());
  const ValueId gate = n.Emit(swish, {n.in(0)});
  n.EmitLast(Binary{BinaryKind::kMul}, {gate, n.in(1)});
  return OkStatus();
}

// A depthwise convolution of [past state, input]; the state is the tail.
Status CausalConvWithState(NodeImport& n) {
  STINT_RETURN_IF_ERROR(n.RequireInputs(2));
  const std::string activation = n.String("activation", "none");
  STINT_RETURN_IF_ERROR(n.CheckAllAttributesRead());
  const ValueType& type = n.graph()->value(n.in(1)).type;
  if (!type.ranked || type.rank() != 3 || !IsKnown(type.dims[0]) ||
      !IsKnown(type.dims[2]) || type.dims[2] < 1) {
    return Unsupported("weights of unknown shape");
  }
  const int64_t state = type.dims[2] - 1;
  Conv conv;
  conv.group = type.dims[0];
  const ValueId padded =
      n.in(3).valid()
          ? n.Emit(Concat{2}, {n.in(3), n.in(0)})
          : n.Emit(Pad{}, {n.in(0), n.ConstantInts({0, 0, state, 0, 0, 0})});
  if (n.Wants(1)) {
    const int64_t start = state == 0 ? kToEnd : -state;
    n.Forward(n.Emit(Slice{}, {padded, n.ConstantInts({start}),
                               n.ConstantInts({kToEnd}), n.ConstantInts({2})}),
              1);
  }
  n.outputs.resize(1);
  const std::vector<ValueId> inputs = {padded, n.in(1), n.in(2)};
  if (activation == "none") {
    n.EmitLast(conv, inputs);
  } else if (activation == "silu" || activation == "swish") {
    n.EmitLast(Swish{}, {n.Emit(conv, inputs)});
  } else {
    return Unsupported("activation '" + activation + "'");
  }
  return OkStatus();
}

// The number of columns along an axis, as a scalar.
ValueId SizeAlong(NodeImport& n, ValueId value, int64_t axis) {
  const ValueId shape = n.Emit(Shape_{}, {value});
  return n.Emit(Gather{},
                {shape, n.Constant(Tensor::Scalar<int64_t>(axis))});
}

// 0, 1, ... up to the size of `value` along an axis.
ValueId Positions(NodeImport& n, ValueId value, int64_t axis) {
  return n.Emit(Range{}, {n.Constant(Tensor::Scalar<int64_t>(0)),
                          SizeAlong(n, value, axis),
                          n.Constant(Tensor::Scalar<int64_t>(1))});
}

// A com.microsoft mask of keys as an addend [batch, 1, 1 or length, keys]: 0
// where it is positive, `filter` elsewhere. One number per batch counts valid
// keys; `keys` has them along axis 1. `like` gives the element type.
Result<ValueId> MaskAsAddend(NodeImport& n, ValueId mask, ValueId keys,
                             ValueId like, float filter) {
  const ValueType& type = n.graph()->value(mask).type;
  const ValueType& batch = n.graph()->value(keys).type;
  if (!type.ranked || !batch.ranked || batch.dims.empty()) {
    return Unsupported("a mask of unknown rank");
  }
  const int64_t rank = type.rank();
  const bool counts = rank == 1 && type.dims[0] == batch.dims[0] &&
                      type.dims[0] != kUnknownDim;
  if (!counts && rank != 2 && rank != 3) {
    return Unsupported("a mask of shape " + ToString(type.dims));
  }
  ValueId wide = n.Emit(Cast{DType::kInt64}, {mask});
  ValueId attend;
  if (counts) {
    wide = n.Emit(Unsqueeze{}, {wide, n.ConstantInts({1})});
    attend = n.Emit(Binary{BinaryKind::kLess}, {Positions(n, keys, 1), wide});
  } else {
    const ValueId zero = n.Constant(Tensor::Scalar<int64_t>(0));
    attend = n.Emit(Binary{BinaryKind::kGreater}, {wide, zero});
  }
  const ValueId addend =
      n.Emit(Where{}, {attend, n.Constant(Tensor::Scalar(0.0f)),
                       n.Constant(Tensor::Scalar(filter))});
  const ValueId full = n.Emit(
      Unsqueeze{}, {addend, rank == 3 ? n.ConstantInts({1})
                                      : n.ConstantInts({1, 2})});
  return n.Emit(CastLike{}, {full, like});
}

// The mask and the bias of a com.microsoft attention as one addend, or absent.
Result<ValueId> JoinMasks(NodeImport& n, ValueId mask, ValueId bias,
                          ValueId keys, ValueId like) {
  const float filter = n.Float("mask_filter_value", -10000.0f);
  if (!mask.valid()) return bias;
  STINT_ASSIGN_OR_RETURN(const ValueId addend,
                         MaskAsAddend(n, mask, keys, like, filter));
  if (!bias.valid()) return addend;
  return n.Emit(Binary{BinaryKind::kAdd}, {bias, addend});
}

Result<Attention> ReadMicrosoftAttention(NodeImport& n) {
  Attention op;
  op.q_num_heads = op.kv_num_heads = n.Int("num_heads", 0);
  op.is_causal = n.Int("unidirectional", 0);
  op.scale = n.Float("scale", 0);
  if (op.q_num_heads < 1) return Damaged("num_heads is missing");
  return op;
}

// Values of q, k and v, from a tensor that holds them along the last axis.
std::vector<ValueId> SplitLast(NodeImport& n, ValueId value,
                               const std::vector<int64_t>& sizes) {
  Graph* graph = n.graph();
  const std::string name = graph->value(value).name;
  std::vector<ValueId> parts;
  for (const char* part : {"/q", "/k", "/v"}) {
    parts.push_back(graph->AddValue(name + part));
  }
  graph->AddNode(name + "/split", Split{-1}, {value, n.ConstantInts(sizes)},
                 parts);
  return parts;
}

// Inputs x, weights [in, q + k + v], bias, mask, past, attention bias.
Status MicrosoftAttention(NodeImport& n) {
  STINT_RETURN_IF_ERROR(n.RequireInputs(2));
  STINT_ASSIGN_OR_RETURN(const Attention op, ReadMicrosoftAttention(n));
  std::vector<int64_t> sizes = n.Ints("qkv_hidden_sizes");
  n.Int("past_present_share_buffer", 0);
  n.Int("rotary_embedding_dim", 0);
  if (n.Int("do_rotary", 0) != 0) return Unsupported("do_rotary");
  if (n.in(4).valid() || n.in(6).valid() || n.Wants(1)) {
    return Unsupported("past and present states");
  }
  const ValueType& weights = n.graph()->value(n.in(1)).type;
  if (sizes.empty() && weights.ranked && weights.rank() == 2 &&
      IsKnown(weights.dims[1])) {
    sizes.assign(3, weights.dims[1] / 3);
  }
  if (sizes.size() != 3) return Unsupported("weights of unknown shape");
  STINT_ASSIGN_OR_RETURN(
      const ValueId mask,
      JoinMasks(n, n.in(3), n.in(5), n.in(0), n.in(0)));
  STINT_RETURN_IF_ERROR(n.CheckAllAttributesRead());
  ValueId projected = n.Emit(MatMul{}, {n.in(0), n.in(1)});
  if (n.in(2).valid()) {
    projected = n.Emit(Binary{BinaryKind::kAdd}, {projected, n.in(2)});
  }
  const std::vector<ValueId> qkv = SplitLast(n, projected, sizes);
  n.outputs.resize(1);
  n.EmitLast(op, {qkv[0], qkv[1], qkv[2], mask});
  return OkStatus();
}

// Adds the parts of a bias [q + k + v] to q, k and v.
Status AddBiases(NodeImport& n, ValueId bias, std::vector<ValueId>* qkv) {
  std::vector<int64_t> sizes;
  for (ValueId value : *qkv) {
    const ValueType& type = n.graph()->value(value).type;
    if (!IsKnown(type.dims[2])) return Unsupported("a bias of unknown parts");
    sizes.push_back(type.dims[2]);
  }
  const std::vector<ValueId> parts = SplitLast(n, bias, sizes);
  for (size_t i = 0; i < 3; ++i) {
    (*qkv)[i] = n.Emit(Binary{BinaryKind::kAdd}, {(*qkv)[i], parts[i]});
  }
  return OkStatus();
}

// Inputs q, k, v, bias, mask of keys, attention bias, past key, past value.
Status MultiHeadAttention(NodeImport& n) {
  STINT_RETURN_IF_ERROR(n.RequireInputs(1));
  STINT_ASSIGN_OR_RETURN(const Attention op, ReadMicrosoftAttention(n));
  if (n.in(8).valid() || n.in(9).valid()) {
    return Unsupported("a past sequence length");
  }
  std::vector<ValueId> qkv = {n.in(0), n.in(1), n.in(2)};
  for (ValueId value : qkv) {
    if (!value.valid() || !n.graph()->value(value).type.ranked ||
        n.graph()->value(value).type.rank() != 3) {
      return Unsupported("query, key and value that are not 3-D");
    }
  }
  if (n.in(4).valid() && n.in(6).valid()) {
    return Unsupported("a mask of keys together with past keys");
  }
  STINT_ASSIGN_OR_RETURN(
      const ValueId mask,
      JoinMasks(n, n.in(4), n.in(5), n.in(1), n.in(0)));
  STINT_RETURN_IF_ERROR(n.CheckAllAttributesRead());
  if (n.in(3).valid()) {
    STINT_RETURN_IF_ERROR(AddBiases(n, n.in(3), &qkv));
  }
  n.EmitLast(op, {qkv[0], qkv[1], qkv[2], mask, n.in(6), n.in(7)});
  return OkStatus();
}

// Output 1 of EmbedLayerNormalization: valid tokens of each row, as int32.
void CountTokens(NodeImport& n) {
  if (!n.Wants(1)) return;
  ValueId mask = n.in(7);
  if (!mask.valid()) {
    mask = n.Emit(Binary{BinaryKind::kMul},
                  {n.in(0), n.Emit(CastLike{}, {n.Constant(Tensor::Scalar<
                                                    int64_t>(0)),
                                                n.in(0)})});
  }
  Reduce sum{ReduceKind::kSum};
  sum.keepdims = 0;
  const ValueId count = n.Emit(sum, {mask, n.ConstantInts({1})});
  n.Forward(n.Emit(Cast{DType::kInt32}, {count}), 1);
}

// Inputs ids, segment ids, three embeddings (word, position, segment), gamma,
// beta, mask, position ids.
Status EmbedLayerNormalization(NodeImport& n) {
  for (size_t i : {0, 2, 3, 5, 6}) {
    if (!n.in(i).valid()) {
      return Damaged("input " + std::to_string(i) + " is missing");
    }
  }
  LayerNormalization op;
  op.epsilon = n.Float("epsilon", 1e-12f);
  n.Int("mask_index_type", 0);
  STINT_RETURN_IF_ERROR(n.CheckAllAttributesRead());
  const Binary add{BinaryKind::kAdd};
  const ValueId ids =
      n.in(8).valid() ? n.in(8) : Positions(n, n.in(0), 1);
  const ValueId words = n.Emit(Gather{}, {n.in(2), n.in(0)});
  ValueId sum = n.Emit(add, {words, n.Emit(Gather{}, {n.in(3), ids})});
  if (n.in(1).valid() && n.in(4).valid()) {
    sum = n.Emit(add, {sum, n.Emit(Gather{}, {n.in(4), n.in(1)})});
  }
  CountTokens(n);
  n.Forward(sum, 2);
  n.outputs.resize(1);
  n.EmitLast(op, {sum, n.in(5), n.in(6)});
  return OkStatus();
}

// RMS normalization; ONNX Runtime's name for it.
Status SimplifiedLayerNormalization(NodeImport& n) {
  if (n.Wants(1)) return Unsupported("the output of inverse deviations");
  n.outputs.resize(1);
  return n.EmitDefault(RMSNormalization{});
}

// Inputs x, skip, gamma, bias (optional); output 3 is the sum.
Status SkipSimplifiedLayerNormalization(NodeImport& n) {
  STINT_RETURN_IF_ERROR(n.RequireInputs(3));
  RMSNormalization op;
  op.epsilon = n.Float("epsilon", 1e-12f);
  STINT_RETURN_IF_ERROR(n.CheckAllAttributesRead());
  if (n.Wants(1) || n.Wants(2)) return Unsupported("training outputs");
  ValueId sum = n.Emit(Binary{BinaryKind::kAdd}, {n.in(0), n.in(1)});
  if (n.in(3).valid()) {
    sum = n.Emit(Binary{BinaryKind::kAdd}, {sum, n.in(3)});
  }
  n.Forward(sum, 3);
  n.outputs.resize(1);
  n.EmitLast(op, {sum, n.in(2)});
  return OkStatus();
}

constexpr std::string_view kMs = "com.microsoft";
constexpr AdapterRow kRows[] = {
    {"", "Attention", 1, kAnyVersion, AttentionAny},
    {"", "SwiGLU", 1, kAnyVersion, SwiGLU},
    {"", "CausalConvWithState", 1, kAnyVersion, CausalConvWithState},
    {"", "SimplifiedLayerNormalization", 0, 0, SimplifiedLayerNormalization},
    {kMs, "SimplifiedLayerNormalization", 0, kAnyVersion,
     SimplifiedLayerNormalization},
    {kMs, "SkipSimplifiedLayerNormalization", 0, kAnyVersion,
     SkipSimplifiedLayerNormalization},
    {kMs, "EmbedLayerNormalization", 0, kAnyVersion, EmbedLayerNormalization},
    {kMs, "Attention", 0, kAnyVersion, MicrosoftAttention},
    {kMs, "MultiHeadAttention", 0, kAnyVersion, MultiHeadAttention},
};

}  // namespace

std::span<const AdapterRow> AttentionAdapters() { return kRows; }

}  // namespace stint::onnx
