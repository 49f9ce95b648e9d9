// The list of ops that run on OpenCL.

#include "engine/opencl/node_lowering.h"

namespace stint {
namespace {

struct LoweringEntry {
  size_t op;
  LowerFunction lower;
};
constexpr LoweringEntry kLowerings[] = {
    {kOpIndex<Conv>, LowerConv},
    {kOpIndex<FusedConv>, LowerFusedConv},
    {kOpIndex<FusedLinear>, LowerFusedLinear},
    {kOpIndex<MatMul>, LowerMatMul},
    {kOpIndex<Gemm>, LowerGemm},
    {kOpIndex<Unary>, LowerUnary},
    {kOpIndex<LeakyRelu>, LowerUnary},
    {kOpIndex<Elu>, LowerUnary},
    {kOpIndex<Celu>, LowerUnary},
    {kOpIndex<Selu>, LowerUnary},
    {kOpIndex<HardSigmoid>, LowerUnary},
    {kOpIndex<ThresholdedRelu>, LowerUnary},
    {kOpIndex<Shrink>, LowerUnary},
    {kOpIndex<Swish>, LowerUnary},
    {kOpIndex<Gelu>, LowerUnary},
    {kOpIndex<Clip>, LowerUnary},
    {kOpIndex<Binary>, LowerBinary},
    {kOpIndex<Variadic>, LowerVariadic},
    {kOpIndex<BatchNormalization>, LowerBatchNorm},
    {kOpIndex<LayerNormalization>, LowerLayerNorm},
    {kOpIndex<Softmax>, LowerSoftmax},
    {kOpIndex<LogSoftmax>, LowerSoftmax},
    {kOpIndex<MaxPool>, LowerMaxPool},
    {kOpIndex<AveragePool>, LowerAveragePool},
    {kOpIndex<GlobalAveragePool>, LowerGlobalPool},
    {kOpIndex<GlobalMaxPool>, LowerGlobalPool},
    {kOpIndex<Reduce>, LowerReduce},
    {kOpIndex<Reshape>, LowerView},
    {kOpIndex<Flatten>, LowerView},
    {kOpIndex<Squeeze>, LowerView},
    {kOpIndex<Unsqueeze>, LowerView},
    {kOpIndex<Transpose>, LowerTranspose},
    {kOpIndex<Expand>, LowerExpand},
    {kOpIndex<Slice>, LowerSlice},
    {kOpIndex<Split>, LowerSplit},
    {kOpIndex<Concat>, LowerConcat},
    {kOpIndex<Pad>, LowerPad},
};

}  // namespace

LowerFunction FindLowering(const Op& op) {
  for (const LoweringEntry& entry : kLowerings) {
    if (entry.op == op.index()) return entry.lower;
  }
  return nullptr;
}

}  // namespace stint
