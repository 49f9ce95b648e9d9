#pragma once
// Kernels for the ops that matter, on the fp32 kernel families. Each Bind
// returns null when the op's types or constants do not fit, and the op then
// runs on its reference evaluation.

#include <memory>

#include "engine/bind/node_kernel.h"

namespace stint {

using NodeKernelPtr = std::unique_ptr<NodeKernel>;

NodeKernelPtr Bind(const MatMul& op, const InferContext& ctx,
                   const KernelSite& site);
NodeKernelPtr Bind(const Gemm& op, const InferContext& ctx,
                   const KernelSite& site);
NodeKernelPtr Bind(const Conv& op, const InferContext& ctx,
                   const KernelSite& site);
NodeKernelPtr Bind(const ConvTranspose& op, const InferContext& ctx,
                   const KernelSite& site);
NodeKernelPtr Bind(const Gather& op, const InferContext& ctx,
                   const KernelSite& site);
NodeKernelPtr Bind(const Concat& op, const InferContext& ctx,
                   const KernelSite& site);
NodeKernelPtr Bind(const FusedLinear& op, const InferContext& ctx,
                   const KernelSite& site);
NodeKernelPtr Bind(const FusedLinearNorm& op, const InferContext& ctx,
                   const KernelSite& site);
NodeKernelPtr Bind(const FusedAttention& op, const InferContext& ctx,
                   const KernelSite& site);
NodeKernelPtr Bind(const FusedConv& op, const InferContext& ctx,
                   const KernelSite& site);
NodeKernelPtr Bind(const ToBlocked& op, const InferContext& ctx,
                   const KernelSite& site);
NodeKernelPtr Bind(const FromBlocked& op, const InferContext& ctx,
                   const KernelSite& site);
NodeKernelPtr Bind(const BlockedConv& op, const InferContext& ctx,
                   const KernelSite& site);
NodeKernelPtr Bind(const BlockedMaxPool& op, const InferContext& ctx,
                   const KernelSite& site);
NodeKernelPtr Bind(const BlockedAveragePool& op, const InferContext& ctx,
                   const KernelSite& site);
NodeKernelPtr Bind(const BlockedGlobalAverage& op, const InferContext& ctx,
                   const KernelSite& site);
NodeKernelPtr Bind(const QuantizeImage& op, const InferContext& ctx,
                   const KernelSite& site);
NodeKernelPtr Bind(const DequantizeImage& op, const InferContext& ctx,
                   const KernelSite& site);
NodeKernelPtr Bind(const QuantizedConv& op, const InferContext& ctx,
                   const KernelSite& site);
NodeKernelPtr Bind(const QuantizedMaxPool& op, const InferContext& ctx,
                   const KernelSite& site);
NodeKernelPtr Bind(const QuantizedAveragePool& op, const InferContext& ctx,
                   const KernelSite& site);
NodeKernelPtr Bind(const QuantizedGlobalAverage& op, const InferContext& ctx,
                   const KernelSite& site);
NodeKernelPtr Bind(const QuantizedAdd& op, const InferContext& ctx,
                   const KernelSite& site);
NodeKernelPtr Bind(const QuantizedGate& op, const InferContext& ctx,
                   const KernelSite& site);
NodeKernelPtr Bind(const QuantizedConcat& op, const InferContext& ctx,
                   const KernelSite& site);
NodeKernelPtr Bind(const QuantizedLookup& op, const InferContext& ctx,
                   const KernelSite& site);
NodeKernelPtr Bind(const Unary& op, const InferContext& ctx,
                   const KernelSite& site);
NodeKernelPtr Bind(const LeakyRelu& op, const InferContext& ctx,
                   const KernelSite& site);
NodeKernelPtr Bind(const Elu& op, const InferContext& ctx,
                   const KernelSite& site);
NodeKernelPtr Bind(const HardSigmoid& op, const InferContext& ctx,
                   const KernelSite& site);
NodeKernelPtr Bind(const Swish& op, const InferContext& ctx,
                   const KernelSite& site);
NodeKernelPtr Bind(const Gelu& op, const InferContext& ctx,
                   const KernelSite& site);
NodeKernelPtr Bind(const Clip& op, const InferContext& ctx,
                   const KernelSite& site);
NodeKernelPtr Bind(const Binary& op, const InferContext& ctx,
                   const KernelSite& site);
NodeKernelPtr Bind(const Variadic& op, const InferContext& ctx,
                   const KernelSite& site);
NodeKernelPtr Bind(const Reduce& op, const InferContext& ctx,
                   const KernelSite& site);
NodeKernelPtr Bind(const Softmax& op, const InferContext& ctx,
                   const KernelSite& site);
NodeKernelPtr Bind(const LogSoftmax& op, const InferContext& ctx,
                   const KernelSite& site);
NodeKernelPtr Bind(const LayerNormalization& op, const InferContext& ctx,
                   const KernelSite& site);
NodeKernelPtr Bind(const RMSNormalization& op, const InferContext& ctx,
                   const KernelSite& site);
NodeKernelPtr Bind(const BatchNormalization& op, const InferContext& ctx,
                   const KernelSite& site);
NodeKernelPtr Bind(const MaxPool& op, const InferContext& ctx,
                   const KernelSite& site);
NodeKernelPtr Bind(const AveragePool& op, const InferContext& ctx,
                   const KernelSite& site);
NodeKernelPtr Bind(const GlobalAveragePool& op, const InferContext& ctx,
                   const KernelSite& site);
NodeKernelPtr Bind(const RNN& op, const InferContext& ctx,
                   const KernelSite& site);
NodeKernelPtr Bind(const GRU& op, const InferContext& ctx,
                   const KernelSite& site);
NodeKernelPtr Bind(const LSTM& op, const InferContext& ctx,
                   const KernelSite& site);

// Inputs that are present are all float32.
bool AllFloat32(const InferContext& ctx);

}  // namespace stint
