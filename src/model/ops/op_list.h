#pragma once
// The closed set of operators as a list of types, and each one's place in it.

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "model/ops/attention/attention.h"
#include "model/ops/control/control.h"
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

template <typename... Ts>
struct OpList {
  static constexpr size_t kCount = sizeof...(Ts);
  static constexpr size_t kBytes = std::max({sizeof(Ts)...});
  static constexpr size_t kAlignment = std::max({alignof(Ts)...});
  // The place of T; kCount when it is not in the list.
  template <typename T>
  static constexpr size_t Find() {
    size_t index = 0;
    (void)((std::is_same_v<T, Ts> || (++index, false)) || ...);
    return index;
  }
};

using Operators = OpList<
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
    FusedLinear, FusedLinearNorm, FusedConv, FusedAttention, ToBlocked,
    FromBlocked, BlockedConv, BlockedMaxPool, BlockedAveragePool,
    BlockedGlobalAverage, QuantizeImage, DequantizeImage, QuantizedConv,
    QuantizedMaxPool, QuantizedAveragePool, QuantizedGlobalAverage,
    QuantizedAdd, QuantizedGate, QuantizedConcat, QuantizedLookup,
    // control
    If, Loop, Scan, SequenceMap>;

template <typename T>
concept Operator = Operators::Find<T>()
< Operators::kCount;

template <Operator T>
inline constexpr size_t kOpIndex = Operators::Find<T>();

}  // namespace stint
