#include "convert/onnx/adapters.h"

namespace stint::onnx {
namespace {

// output_sequence said whether output 0 is there; the list of outputs does.
Status RecurrentBefore7(NodeImport& n) {
  n.Int("output_sequence", 0);
  return n.EmitDefault(FindOp(n.proto().op_type)->Make());
}

// -log of the probability that a softmax gives the label; output 1 is the log.
Status SoftmaxCrossEntropyLoss(NodeImport& n) {
  STINT_RETURN_IF_ERROR(n.RequireInputs(2));
  Op loss = NegativeLogLikelihoodLoss{};
  STINT_RETURN_IF_ERROR(n.FillFields(&loss));
  STINT_RETURN_IF_ERROR(n.CheckAllAttributesRead());
  const ValueId log = n.Emit(LogSoftmax{1}, {n.in(0)});
  n.Forward(log, 1);
  n.outputs.resize(1);
  n.EmitLast(std::move(loss), {log, n.in(1), n.in(2)});
  return OkStatus();
}

constexpr AdapterRow kRows[] = {
    {"", "RNN", 1, 6, RecurrentBefore7},
    {"", "LSTM", 1, 6, RecurrentBefore7},
    {"", "GRU", 1, 6, RecurrentBefore7},
    {"", "SoftmaxCrossEntropyLoss", 1, kAnyVersion, SoftmaxCrossEntropyLoss},
};

}  // namespace

std::span<const AdapterRow> RecurrentAdapters() { return kRows; }

}  // namespace stint::onnx
