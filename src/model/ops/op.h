#pragma once
// Op: the closed set of operators. What an operator means (its parameters, its
// shape rule and its cost) is defined once, in the header of its group; opset
// differences are settled at import, so every later stage sees one meaning.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "model/ops/attention/attention.h"
#include "model/ops/control/control.h"
#include "model/ops/cost.h"
#include "model/ops/elementwise/activation.h"
#include "model/ops/elementwise/binary.h"
#include "model/ops/elementwise/cast.h"
#include "model/ops/elementwise/unary.h"
#include "model/ops/fused/blocked.h"
#include "model/ops/fused/fused.h"
#include "model/ops/fused/quantized.h"
#include "model/ops/generate/generate.h"
#include "model/ops/generate/random.h"
#include "model/ops/linear/conv.h"
#include "model/ops/linear/einsum.h"
#include "model/ops/linear/matmul.h"
#include "model/ops/loss/loss.h"
#include "model/ops/movement/arrange.h"
#include "model/ops/movement/crop.h"
#include "model/ops/movement/gather.h"
#include "model/ops/movement/reshape.h"
#include "model/ops/movement/scatter.h"
#include "model/ops/movement/slice.h"
#include "model/ops/nn/normalize.h"
#include "model/ops/nn/pool.h"
#include "model/ops/nn/softmax.h"
#include "model/ops/quantize/integer_linear.h"
#include "model/ops/quantize/quantize.h"
#include "model/ops/recurrent/recurrent.h"
#include "model/ops/reduce/cumulative.h"
#include "model/ops/reduce/reduce.h"
#include "model/ops/resample/resize.h"
#include "model/ops/resample/sample.h"
#include "model/ops/select/select.h"
#include "model/ops/sequence/sequence.h"
#include "model/ops/signal/signal.h"
#include "model/ops/strings/strings.h"

namespace stint {

using OpVariant = std::variant<
    // elementwise
    Unary, LeakyRelu, Elu, Celu, Selu, HardSigmoid, ThresholdedRelu, Shrink,
    Swish, Gelu, IsInf, Clip, Binary, Mod, BitShift, Variadic, Where, Cast,
    CastLike, BitCast,
    // linear
    MatMul, Gemm, Conv, ConvTranspose, Einsum,
    // nn
    Softmax, LogSoftmax, Hardmax, BatchNormalization, InstanceNormalization,
    LayerNormalization, RMSNormalization, GroupNormalization, LpNormalization,
    MeanVarianceNormalization, LRN, MaxPool, AveragePool, LpPool,
    GlobalAveragePool, GlobalMaxPool, GlobalLpPool,
    // movement
    Reshape, Flatten, Squeeze, Unsqueeze, Expand, Shape_, Size_, Transpose,
    Concat, Split, Tile, DepthToSpace, SpaceToDepth, Slice, Pad, Gather,
    GatherElements, GatherND, ScatterElements, ScatterND, TensorScatter, OneHot,
    MaxUnpool, Col2Im, CenterCropPad, ReverseSequence, Trilu,
    // resample
    Resize, GridSample, AffineGrid, RoiAlign, DeformConv,
    // select
    TopK, Unique, NonZero, Compress, NonMaxSuppression,
    // reduce
    Reduce, ArgReduce, Cumulative, Det,
    // generate
    ConstantOfShape, Range, EyeLike, RandomNormal, RandomUniform,
    RandomNormalLike, RandomUniformLike, Bernoulli, Multinomial,
    // signal
    DFT, STFT, SignalWindow, MelWeightMatrix,
    // strings
    StringNormalizer, StringConcat, StringSplit, TfIdfVectorizer,
    // sequence
    SequenceConstruct, SequenceEmpty, SequenceInsert, SequenceErase, SequenceAt,
    SequenceLength, SplitToSequence, ConcatFromSequence, MakeOptional,
    OptionalHasElement, OptionalGetElement,
    // attention
    Attention, RotaryEmbedding, LinearAttention,
    // recurrent
    RNN, GRU, LSTM,
    // loss
    NegativeLogLikelihoodLoss,
    // quantize
    QuantizeLinear, DequantizeLinear, DynamicQuantizeLinear, MatMulInteger,
    ConvInteger, QLinearMatMul, QLinearConv,
    // fused
    FusedLinear, FusedConv, FusedAttention, ToBlocked, FromBlocked, BlockedConv,
    BlockedMaxPool, BlockedAveragePool, BlockedGlobalAverage, QuantizeImage,
    DequantizeImage, QuantizedConv, QuantizedMaxPool, QuantizedAveragePool,
    QuantizedGlobalAverage, QuantizedAdd, QuantizedGate, QuantizedConcat,
    QuantizedLookup,
    // control
    If, Loop, Scan, SequenceMap>;

template <typename T, typename Variant>
struct OpIndex;
// The place of T among the operators; their number when it is not one.
template <typename T, typename... Ts>
struct OpIndex<T, std::variant<Ts...>> {
  static constexpr size_t value = [] {
    size_t index = 0;
    (void)((std::is_same_v<T, Ts> || (++index, false)) || ...);
    return index;
  }();
};

// One of them. What makes, copies and destroys it is compiled once, in op.cc,
// and not in each of the many files that hold nodes.
class Op : public OpVariant {
 public:
  Op();
  template <typename T>
  requires(OpIndex<T, OpVariant>::value < std::variant_size_v<OpVariant>)
      // NOLINTNEXTLINE(google-explicit-constructor): every operator is an Op.
      Op(T op)
      : Op(OpIndex<T, OpVariant>::value, &op) {}
  Op(const Op& other);
  Op(Op&& other) noexcept;
  Op& operator=(const Op& other);
  Op& operator=(Op&& other) noexcept;
  ~Op();

 private:
  // Moves from `op`, which is the alternative of that index.
  Op(size_t index, void* op);
};

// One name an op can have: "Relu" is a Unary of one kind.
struct OpEntry {
  std::string_view name;
  Op (*make)(int kind);
  int kind;
  // An op with default parameters.
  Op Make() const { return make(kind); }
};

// Every operator, sorted by name.
std::span<const OpEntry> OpEntries();
// Null when there is no such operator.
const OpEntry* FindOp(std::string_view name);

std::string_view OpName(const Op& op);
// Made by passes or the engine; no file format has it.
bool IsFused(const Op& op);

// Fills the types of the outputs. An error names what does not fit, not the
// node. Inputs that the op cannot do without are present when its rule runs.
Status InferTypes(const Op& op, InferContext& ctx);

// `ctx` has been through InferTypes.
OpCost CostOf(const Op& op, const InferContext& ctx);

// "axis=1 keepdims=0": the fields, for dumps.
std::string FieldsToString(const Op& op);

template <typename T>
const T* As(const Op& op) {
  return std::get_if<T>(&op);
}

}  // namespace stint
